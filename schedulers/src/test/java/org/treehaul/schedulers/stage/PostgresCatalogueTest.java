// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.treehaul.tuplespace.PostgresServer;

/** Catalogues in PostgreSQL, which nodes share. */
@Tag("rig")
class PostgresCatalogueTest extends CatalogueContract {

    private static @Nullable PostgresServer server;

    PostgresCatalogueTest() {
        super(Objects.requireNonNull(server).fresh());
    }

    @BeforeAll
    static void start() throws Exception {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
    }
}
