// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Walks or copies on a file system that delays each call by some milliseconds. */
public final class SlowRun {

    private SlowRun() {}

    /**
     * Runs it; exits with 1 if something failed.
     *
     * @param args {@code walk} or {@code copy}, threads (0 lets TreeHaul choose), milliseconds, source, target
     */
    public static void main(String[] args) {
        int threads = Integer.parseInt(args[1]);
        FileSystemCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.onAny().delays(Duration.ofMillis(Integer.parseInt(args[2]))));
        Root source = Root.of(ByteString.of(Path.of(args[3]).toString()));
        boolean isComplete = switch (args[0]) {
            case "walk" -> TreeWalker.of(calls, WalkOptions.defaults().withThreads(threads))
                    .walk(List.of(source), () -> entry -> Step.CONTINUE, new Cancellation())
                    .isComplete();
            case "copy" -> TreeCopier.of(calls, CopyOptions.archive().threads(threads).build())
                    .copy(List.of(new CopyPair(source, ByteString.of(Path.of(args[4]).toString()))), event -> {
                    }, new Progress(), new Cancellation())
                    .isSuccess();
            default -> throw new IllegalArgumentException(args[0]);
        };
        System.exit(isComplete ? 0 : 1);
    }
}
