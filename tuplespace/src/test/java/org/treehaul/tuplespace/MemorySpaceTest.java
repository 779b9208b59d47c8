// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Circle;

class MemorySpaceTest {

    @Nested
    class Operations extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return TupleSpaces.memory(options);
        }
    }

    @Nested
    class Values extends ValuesContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return TupleSpaces.memory(options);
        }
    }

    @Nested
    class Events extends EventsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return TupleSpaces.memory(options);
        }
    }

    @Test
    void aSpaceIsFoundByItsNameUntilTheLastOneHasClosedIt() throws Exception {
        TupleSpace one = TupleSpaces.open("found by its name", SpaceOptions.defaults());
        TupleSpace other = TupleSpaces.open("found by its name", SpaceOptions.defaults());
        one.write(new Circle("a", 1));
        one.close();
        one.close();
        assertThat(other.take(SpaceFixture.CIRCLES, SpaceFixture.NOW).isFound()).isTrue();
        other.write(new Circle("a", 1));
        other.close();
        try (TupleSpace anew = TupleSpaces.open("found by its name", SpaceOptions.defaults())) {
            assertThat(anew.count(SpaceFixture.CIRCLES)).isZero();
        }
    }
}
