// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.testing.HostileTree;

/**
 * The same copy made by several processes at the same time: none removes the files that another is writing, and all
 * succeed.
 */
class SimultaneousCopyTest {

    private static final int ROUNDS = 6;
    private static final int RUNS = 3;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void copiesIntoOneDestinationAllEndRight(boolean isNamed) {
        // On a file system without unnamed temporary files, each could mistake another's files for leftovers of a dead
        // run.
        Fault named = Copies.noUnnamedFiles(isNamed);
        try (Copies copies = Copies.onTmpfs(); ExecutorService runs = Executors.newFixedThreadPool(RUNS)) {
            copies.with(writer -> IntStream.range(0, 30).forEach(i -> {
                String name = "d" + i % 5 + "/f" + i;
                writer.file(path(name), 1000, i)
                        .file(path(name + "-medium"), 300_000, i)
                        .hardLink(path(name), path(name + "-link"))
                        .symlink(path(name + "-symlink"), path("x" + i));
            })).with(writer -> writer.file(path("d0/large"), 3L * HostileTree.CHUNK_BYTES, 1));
            CopyOptions options = archive().chunkBytes(HostileTree.CHUNK_BYTES).build();
            for (int round = 0; round < ROUNDS; round++) {
                List<CompletableFuture<Copies.Ran>> running = IntStream.range(0, RUNS)
                        .mapToObj(i -> CompletableFuture.supplyAsync(() -> copies.copy(options, named), runs))
                        .toList();
                running.forEach(run -> run.join().succeeds());
                copies.isCopied().hasNoTemporaries();
            }
        }
    }
}
