// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.node;

import java.io.IOException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.places.FilePlaces;
import org.treehaul.core.places.FilePlacesProvider;
import org.treehaul.core.places.PlacesAddress;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.SegmentsOpener;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;

/** Opens the files of a stage for a transfer. */
@Internal
public final class StagePlacesProvider implements FilePlacesProvider {

    private static final String SCHEME = "stage";
    private static final String STAGE = "stage";
    private static final String SPACE = "space";
    private static final String SECRET = "secret-file";
    private static final String TLS = "tls";
    // They move only files in several segments.
    private static final int THREADS = 4;

    /** Creates the provider. */
    public StagePlacesProvider() {}

    /**
     * Returns the address of the files of a stage.
     *
     * @param space the catalogue, an absolute path or without a password: the address is kept with a transfer
     * @param secret the absolute path of the file with the secret of the servers, if there are any
     * @param isEncrypted whether connections to servers are encrypted
     */
    public static PlacesAddress address(String stage, SpaceUri space, Optional<ByteString> secret,
            boolean isEncrypted) {
        SortedMap<String, String> parameters = new TreeMap<>();
        parameters.put(STAGE, stage);
        parameters.put(SPACE, space.toString());
        secret.ifPresent(file -> parameters.put(SECRET, file.toString()));
        if (isEncrypted) {
            parameters.put(TLS, String.valueOf(true));
        }
        return new PlacesAddress(SCHEME, parameters);
    }

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public FilePlaces open(SortedMap<String, String> parameters) throws IOException {
        String stage = parameters.getOrDefault(STAGE, "");
        SpaceUri space = SpaceUri.parse(parameters.getOrDefault(SPACE, ""));
        String secret = parameters.get(SECRET);
        try {
            if (secret == null) {
                return new StagePlaces(open(space, stage, LocalServers.opener(Linux.calls())), () -> {});
            }
            SegmentClients clients = new SegmentClients(secret(ByteString.unescape(secret)),
                    parameters.containsKey(TLS));
            try {
                return new StagePlaces(open(space, stage, clients.withLocal(Linux.calls())), clients::close);
            } catch (SpaceException e) {
                clients.close();
                throw e;
            }
        } catch (SpaceException | StageException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Stage open(SpaceUri space, String stage, SegmentsOpener opener) {
        return Stage.open(Catalogue.openExisting(space, stage), opener, THREADS);
    }

    private static RunSecret secret(ByteString file) throws IOException {
        try {
            return RunSecret.read(file);
        } catch (IOException e) {
            throw new IOException("the secret of the servers: " + PrivateFiles.describe(e), e);
        }
    }
}
