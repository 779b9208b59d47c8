// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.JavaCommand;
import org.treehaul.core.testing.Ready;
import org.treehaul.core.transfer.FatalCalls;

/**
 * A move in a process of its own, which can be killed: prints READY, then the failures, then COMPLETE or INCOMPLETE.
 */
public final class MoveProcess {

    /** The name of the source, which appears to be on another file system than its target. */
    static final String SOURCE = "source";

    private MoveProcess() {}

    /** Returns calls for which the source and every target are on different file systems. */
    static FaultInjectingCalls apart(Fault... faults) {
        Fault[] all = new Fault[faults.length + 1];
        all[0] = Fault.on(Call.RENAMEAT2).named(SOURCE).fails(Errno.EXDEV);
        System.arraycopy(faults, 0, all, 1, faults.length);
        return FaultInjectingCalls.over(Linux.calls(), all);
    }

    /**
     * Moves the first argument to the second. The third is empty, or the number of the removal before which the process
     * dies, or one of {@link FatalCalls}.
     */
    public static void main(String[] args) {
        // A second thread could be suspended after it compared an entry, and before it removes the name.
        int threads = args[2].startsWith("STOP") ? 1 : 2;
        TreeMover mover = TreeMover.of(calls(args[2]), CopyOptions.archive().threads(threads).build());
        System.out.println(Ready.LINE);
        MoveResult result = mover.move(List.of(CopyPair.of(Path.of(args[0]), Path.of(args[1]))), event -> {
            if (event instanceof Event.Failed failed) {
                System.out.println("failed " + failed.failure());
            }
        }, new Progress(), new Cancellation());
        System.out.println(result.isComplete() ? "COMPLETE" : "INCOMPLETE");
    }

    private static FileSystemCalls calls(String end) {
        if (end.isEmpty()) {
            return apart();
        }
        // Nothing is cleaned up, as after SIGKILL.
        return end.contains(":")
                ? FatalCalls.of(apart(), end)
                : apart(Fault.on(Call.UNLINKAT).nth(Long.parseLong(end)).runs(call -> Runtime.getRuntime().halt(137)));
    }

    static Process start(Path source, Path target, String end) throws IOException {
        return new ProcessBuilder(JavaCommand.of(MoveProcess.class, source, target, end)).redirectErrorStream(true)
                .start();
    }
}
