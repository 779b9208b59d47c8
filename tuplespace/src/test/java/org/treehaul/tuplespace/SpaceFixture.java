// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.treehaul.tuplespace.Shapes.Circle;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** A space for each test, with the store of the subclass. */
abstract class SpaceFixture {
    static final Duration NOW = Duration.ZERO;
    static final Duration LONG = Duration.ofSeconds(60);
    static final Duration SHORT = Duration.ofMillis(30);
    static final Template<Circle> CIRCLES = Template.of(Circle.class);
    static final Template<Job> JOBS = Template.of(Job.class);

    final FakeClock clock = new FakeClock();
    TupleSpace space;

    @SuppressWarnings("NullAway") // set before each test
    SpaceFixture() {}

    abstract TupleSpace open(SpaceOptions options);

    /** Returns options with which tuples share the first component of each index, if it is a text. */
    static SpaceOptions sharing(SpaceOptions options) {
        SpaceOptions sharing = options;
        for (StoreOptions.Index index : options.store().indexes()) {
            String first = index.components().getFirst();
            if (TupleType.of(index.type()).component(first).kind() == Kind.TEXT) {
                sharing = sharing.share(index.type(), first);
            }
        }
        return sharing;
    }

    /** Returns whether all tuples are in one store, which keeps one order of writing and limits what it locks. */
    boolean isOneStore() {
        return true;
    }

    @BeforeEach
    void openSpace() {
        space = open(SpaceOptions.defaults().clock(clock).index(Job.class, "state").index(Circle.class, "name"));
    }

    @AfterEach
    void closeSpace() {
        space.close();
    }

    static Template<Job> numbered(int number) {
        return JOBS.equal("number", number);
    }

    static void reason(SpaceException.Reason reason, ThrowingCallable call) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
    }
}
