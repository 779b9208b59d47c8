// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;

class ServerErrorsTest {

    @Test
    void aConnectionThatBreaksDuringACommitLeavesTheOutcomeUnknownAndTheErrorSaysWhatToDo() {
        Map<String, String> none = Map.of();
        ServerAddress server = ServerAddress.of(SpaceUri.parse("postgresql://db1/space"),
                new Environment(none::get, Path.of("/nonexistent"), "alice"));
        SpaceException failure = ServerErrors.ofCommit(server, new SQLException("An I/O error occurred", "08006"));
        assertThat(failure.reason()).isEqualTo(Reason.IO);
        assertThat(failure).hasMessageContaining("db1")
                .hasMessageEndingWith("it is unknown whether the change was made (An I/O error occurred);"
                        + " look whether it was before you repeat it");
    }
}
