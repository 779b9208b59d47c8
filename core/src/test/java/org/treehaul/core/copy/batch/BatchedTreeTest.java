// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.treehaul.core.copy.Copies.archive;

import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.RandomTree;

/** A tree copied in batches, in any order, and finished, equals one copied at once. */
class BatchedTreeTest {

    private static final int BATCHES = 5;
    private static final int ENTRIES = 300;

    static Stream<Arguments> ways() {
        return Stream.of(Arguments.of("tmpfs", archive().threads(1)),
                Arguments.of("tmpfs", archive().threads(8).verify(CopyOptions.Verify.XXH3)),
                Arguments.of("disk", archive().verify(CopyOptions.Verify.SHA256)));
    }

    private static Copies copies(String where) {
        return where.equals("tmpfs") ? Copies.onTmpfs() : Copies.onDisk();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ways")
    void theHostileTreeIsCopied(String where, CopyOptionsBuilder options) {
        try (Copies copies = copies(where)) {
            HostileTree.make(Linux.calls(), copies.source());
            Batches.of(copies, options.build(), BATCHES, 1, HostileTree.CHUNK_BYTES)
                    .copyAll(new Random(2))
                    .finish()
                    .allDone();
            copies.isCopied().hasNoTemporaries();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ways")
    void randomTreesAreCopied(String where, CopyOptionsBuilder options) {
        for (int seed = 0; seed < 4; seed++) {
            try (Copies copies = copies(where)) {
                RandomTree.make(Linux.calls(), copies.source(), seed, ENTRIES);
                Batches.of(copies, options.build(), BATCHES, seed, 200_000)
                        .copyAll(new Random(seed))
                        .finish()
                        .allDone();
                copies.isCopied().hasNoTemporaries();
            }
        }
    }
}
