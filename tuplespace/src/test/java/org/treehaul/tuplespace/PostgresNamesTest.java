// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Schemas may have any names that the server accepts. */
class PostgresNamesTest {
    private static final Template<Job> JOBS = Template.of(Job.class);

    private final PostgresServer server = PostgresServer.shared();

    private SpaceUri in(String schema) {
        return server.in(URLEncoder.encode(schema, StandardCharsets.UTF_8).replace("+", "%20"));
    }

    private void drop(String schema) throws Exception {
        server.run("DROP SCHEMA \"" + schema.replace("\"", "\"\"") + "\" CASCADE");
    }

    @Test
    void aSchemaOfAnyCharactersIsASpaceOfEveryKind() throws Exception {
        String schema = "100%s of \"j\u00f6bs\", it's \\ ? ; $1 {d}.x";
        SpaceUri uri = in(schema);
        BlockingQueue<TupleEvent<Job>> heard = new LinkedBlockingQueue<>();
        try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults().index(Job.class, "state"));
                TupleSpace other = TupleSpaces.open(uri, SpaceOptions.defaults())) {
            space.on(JOBS, Set.of(EventKind.WRITTEN), heard::add);
            other.write(new Job(1, "new", null), Duration.ofHours(1));
            assertThat(heard.poll(60, TimeUnit.SECONDS)).isNotNull();
            try (Transaction transaction = other.begin(Duration.ofMinutes(1))) {
                assertThat(transaction.take(JOBS, Duration.ZERO).isFound()).isTrue();
            }
            space.sweep();
            assertThat(space.count(JOBS.equal("state", "new"))).isEqualTo(1);
        }
        assertThat(TupleSpaces.check(uri)).isEqualTo(new Inspection(1, 0, List.of()));
        assertThat(TupleSpaces.bytes(uri)).isPositive();
        drop(schema);
    }

    @Test
    void aSchemaWhoseNameTheServerWouldCutOffIsRefused() throws Exception {
        // 63 bytes, of which the last two are one character.
        String longest = "s".repeat(61) + "\u00f6";
        try (TupleSpace space = TupleSpaces.open(in(longest), SpaceOptions.defaults())) {
            space.write(new Job(1, "new", null));
        }
        try (TupleSpace space = TupleSpaces.openToRead(in(longest), SpaceOptions.defaults())) {
            assertThat(space.count(JOBS)).isEqualTo(1);
        }
        drop(longest);
        assertThatExceptionOfType(SpaceException.class)
                .isThrownBy(() -> TupleSpaces.open(in(longest + "s"), SpaceOptions.defaults()))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.PROVIDER))
                .withMessageContaining("at most 63 bytes");
    }
}
