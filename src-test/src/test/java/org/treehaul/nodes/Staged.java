// SPDX-License-Identifier: Apache-2.0
package org.treehaul.nodes;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * A stage over servers, of which each process of a measurement opens a client of its own.
 *
 * @param space the directory of the catalogue
 * @param secret the file with the secret of the servers
 * @param addresses of the servers, in their order
 */
record Staged(Path space, Path secret, List<String> addresses) {

    private static final int THREADS = 8;

    /** A client of the stage. */
    record Client(SegmentClients network, Stage stage) implements AutoCloseable {
        @Override
        public void close() {
            stage.close();
            network.close();
        }
    }

    Staged {
        addresses = List.copyOf(addresses);
    }

    static Staged of(Values values) {
        return new Staged(values.path("space"), values.path("secret"), values.words("addresses", ","));
    }

    Map<String, String> values() {
        return Map.of("space", space.toString(), "secret", secret.toString(), "addresses", String.join(",", addresses));
    }

    /** Makes the stage if it is not there, and opens it. */
    Client open() throws IOException {
        SegmentClients network = new SegmentClients(RunSecret.read(ByteString.of(secret)), false);
        Catalogue catalogue = Catalogue.open(SpaceUri.parse(space.toString()), Nodes.STAGE);
        if (catalogue.servers().isEmpty()) {
            network.add(catalogue, addresses);
        }
        // A host reaches its own disk itself.
        return new Client(network, Stage.open(catalogue, network.withLocal(Linux.calls()), THREADS));
    }
}
