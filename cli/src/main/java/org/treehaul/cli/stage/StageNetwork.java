// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.stage;

import java.io.IOException;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.SegmentsOpener;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code treehaul stage} for servers of {@code treehaul serve}, and the connections to them. */
final class StageNetwork implements AutoCloseable {

    private final CommonOptions common;
    private @Nullable String addresses;
    private @Nullable ByteString secret;
    private boolean isEncrypted;
    private @Nullable SegmentClients clients;

    StageNetwork(CommandSpec spec, CommonOptions common) {
        this.common = common;
        Options.add(spec, Options.value(String.class, value -> addresses = value, "--add-servers"), "ADDRESSES",
                "With in and servers: keep segments on these servers (treehaul serve), HOST:PORT with commas between them.");
        Options.add(spec, Options.value(ByteString.class, value -> secret = value, "--secret-file"), "FILE",
                "The secret of the servers, in a file that only you may read.");
        Options.add(spec, Options.flag(value -> isEncrypted = value, "--tls"),
                "Encrypt the connections to the servers, which have certificates.");
    }

    /**
     * Returns an opener for directories of this host, and for servers if the secret is given.
     *
     * @throws StageException if the secret cannot be read, or is open to others
     */
    SegmentsOpener opener(FileSystemCalls calls) throws StageException {
        if (secret == null) {
            if (addresses != null || isEncrypted) {
                throw common.usage("--secret-file FILE is missing: the secret with which the servers were started");
            }
            SegmentsOpener local = LocalServers.opener(calls);
            return server -> {
                if (!server.address().isEmpty()) {
                    throw new StageException(server.display(),
                            "--secret-file FILE is missing: the secret with which the server was started", 0);
                }
                return local.open(server);
            };
        }
        try {
            clients = new SegmentClients(RunSecret.read(secret), isEncrypted);
            return clients.withLocal(calls);
        } catch (IOException e) {
            throw new StageException("--secret-file", PrivateFiles.describe(e), 0, e);
        }
    }

    /**
     * Adds the servers of {@code --add-servers} to a stage.
     *
     * @throws StageException if one of them cannot be reached
     */
    void add(Catalogue catalogue) throws StageException {
        SegmentClients open = clients;
        if (addresses != null && open != null) {
            open.add(catalogue, List.of(addresses.split(",", -1)));
        }
    }

    @Override
    public void close() {
        SegmentClients open = clients;
        if (open != null) {
            open.close();
        }
    }
}
