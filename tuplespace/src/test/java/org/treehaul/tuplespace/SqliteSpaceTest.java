// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;

class SqliteSpaceTest extends SpaceContract {

    @TempDir
    Path directory;

    private int opened;

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteSpaceTest() {
    }

    @Override
    TupleSpace open(SpaceOptions options) {
        return TupleSpaces.open(directory.resolve("space" + opened++), options);
    }
}
