// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.path;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

class RightsRecorderTest {

    @Test
    void aThreadThatRemovesAFileWaitsUntilTheFileIsExamined() throws Exception {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path tree = directory.directory("tree");
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree)) {
                writer.file(path("kept"), 0, 1).file(path("removed"), 0, 1);
            }
            CompletableFuture<FileSystemCalls> calls = new CompletableFuture<>();
            Thread remover = new Thread(() -> unlink(calls.join(), tree.resolve("removed")));
            // The first time is when the recorder is made.
            FileSystemCalls examining = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.STATX).named("removed").nth(2).runs(call -> startUntilItWaitsOrEnds(remover)));
            RightsRecorder recorder = new RightsRecorder(examining, tree, Set.of(1), Set.of(1));
            calls.complete(recorder.calls());
            try (TreeWriter writer = TreeWriter.in(recorder.calls(), tree)) {
                writer.mode(path("kept"), 0600);
            }
            remover.join();
            assertThat(tree.resolve("removed")).doesNotExist();
        }
    }

    private static void startUntilItWaitsOrEnds(Thread thread) {
        thread.start();
        while (thread.getState() != Thread.State.BLOCKED && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
    }

    private static void unlink(FileSystemCalls calls, Path file) {
        try (Arena arena = Arena.ofConfined()) {
            calls.unlinkat(AT_FDCWD, arena.allocateFrom(file.toString()), 0);
        }
    }
}
