// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;

import org.treehaul.tuplespace.sql.GroupedStep;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.Step;
import org.treehaul.tuplespace.store.SpaceException;

/** A step that a thread passes to the {@link Writer} and waits for. */
final class Pending<R> extends GroupedStep<R> {
    private final Step<R> step;
    /** Whether the step may add tuples. */
    final boolean isAdding;
    /** Whether its changes are no events. */
    private final boolean isQuiet;

    Pending(Step<R> step, boolean isAdding, boolean isQuiet) {
        this.step = step;
        this.isAdding = isAdding;
        this.isQuiet = isQuiet;
    }

    void run(SqliteTransaction current) throws SQLException {
        failed(null);
        try {
            perform(() -> current.run(step, isQuiet));
        } catch (SpaceException | IllegalArgumentException refused) {
            failed(refused);
        }
    }

    R outcome(Path file) {
        return outcome(e -> Errors.of(file, e));
    }
}
