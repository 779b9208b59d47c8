// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.nio.file.Path;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.InMemory;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.partition.Placement;
import org.treehaul.tuplespace.store.SpaceUri;

/** Processes that share a space over four stores notice each other's changes. */
class PartitionedWatchersTest {
    private static final int PARTITIONS = 4;

    @TempDir(factory = InMemory.class)
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    PartitionedWatchersTest() {}

    abstract class Watchers extends WatchersContract {
        abstract SpaceUri store(int number);

        @BeforeEach
        void create() {
            Partitions.create(directory.resolve("list"), IntStream.range(0, PARTITIONS).mapToObj(this::store).toList(),
                    PARTITIONS, 0);
        }

        @Override
        TupleSpace open() {
            return TupleSpaces.open(new SpaceUri(SpaceUri.PARTITIONS, directory.resolve("list").toString()),
                    SpaceOptions.defaults());
        }

        @Override
        int partition(Job job) {
            return Placement.of(job, "number", PARTITIONS);
        }
    }

    @Nested
    class InFiles extends Watchers {
        @Override
        SpaceUri store(int number) {
            return SpaceUri.of(directory.resolve("p" + number));
        }
    }

    @Nested
    class InPostgres extends Watchers {
        @Override
        SpaceUri store(int number) {
            return PostgresServer.shared().fresh();
        }
    }
}
