// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import org.junit.jupiter.api.Nested;

/** A space in PostgreSQL keeps the contract of every space. */
class PostgresSpaceTest {

    private static TupleSpace openNext(SpaceOptions options) {
        return TupleSpaces.open(PostgresServer.shared().fresh(), options);
    }

    @Nested
    class Operations extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    class Transactions extends TransactionsContract {
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
