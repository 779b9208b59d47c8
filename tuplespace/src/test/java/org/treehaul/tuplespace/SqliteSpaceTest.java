// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.nio.file.Path;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

class SqliteSpaceTest {

    @TempDir
    Path spaces;

    private int opened;

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteSpaceTest() {}

    private TupleSpace openNext(SpaceOptions options) {
        return TupleSpaces.open(spaces.resolve("space" + opened++), options);
    }

    @Nested
    class Operations extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    class Values extends ValuesContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    class Events extends EventsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }
}
