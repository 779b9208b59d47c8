// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.treehaul.tuplespace.store.Member;
import org.treehaul.tuplespace.store.SpaceMembers;
import org.treehaul.tuplespace.store.SpaceUri;

/** A shared space keeps the contract of every space for a member, who owns none of its tables. */
@Tag("campaign")
class PostgresMemberTest {

    private static TupleSpace openNext(SpaceOptions options) {
        PostgresServer server = PostgresServer.shared();
        SpaceUri uri = server.fresh();
        try {
            server.role("alice", "LOGIN");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        SpaceMembers members = TupleSpaces.members(uri);
        members.create(SpaceMembers.Visibility.OWN);
        members.grant(new Member("alice", Member.Right.WRITE, false, OptionalLong.empty()));
        return TupleSpaces.open(SpaceUri.parse(uri.toString().replace("owner@", "alice@")), options);
    }

    @Nested
    class Operations extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }

        @Override
        Optional<String> owner() {
            return Optional.of("alice");
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
