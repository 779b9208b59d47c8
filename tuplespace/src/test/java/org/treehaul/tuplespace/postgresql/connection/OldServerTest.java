// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceMembers;
import org.treehaul.tuplespace.store.SpaceUri;

/** Servers that announce an old version. */
class OldServerTest {
    private static final String VERSION = "server_version\0";

    private final PostgresServer server = PostgresServer.shared();
    private final SpaceUri uri = server.fresh();

    private Cable telling(String major) throws Exception {
        return new Cable(server.port(), answer -> answer.replaceAll(VERSION + "\\d\\d", VERSION + major));
    }

    private SpaceUri over(Cable cable) {
        return SpaceUri.parse(uri.toString().replace(":" + server.port(), ":" + cable.port()));
    }

    @Test
    void aServerOfAnOlderVersionIsRefusedByName() throws Exception {
        try (Cable cable = telling("14")) {
            SpaceUri old = over(cable);
            List<ThrowingCallable> uses = List.of(() -> TupleSpaces.open(old, SpaceOptions.defaults()),
                    () -> TupleSpaces.openToRead(old, SpaceOptions.defaults()), () -> TupleSpaces.exists(old),
                    () -> TupleSpaces.bulkLoad(old, SpaceOptions.defaults()),
                    () -> TupleSpaces.members(old).create(SpaceMembers.Visibility.ALL));
            for (ThrowingCallable use : uses) {
                assertThatExceptionOfType(SpaceException.class).isThrownBy(use)
                        .withMessageContaining("127.0.0.1:" + cable.port() + "/postgres")
                        .withMessageContaining("the server is PostgreSQL 14; a tuple space needs version 15 or newer")
                        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.VERSION));
            }
        }
        assertThat(TupleSpaces.exists(uri)).isFalse();
    }

    @Test
    void aServerOfTheOldestVersionAndLaterOnesAreAccepted() throws Exception {
        for (String version : List.of("15", "27")) {
            try (Cable cable = telling(version)) {
                TupleSpaces.open(over(cable), SpaceOptions.defaults()).close();
            }
        }
    }
}
