// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Walks whose entries several threads process. */
class TaskWalkTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void close() {
        directory.close();
    }

    private boolean run(FileSystemCalls calls, int threads, Cancellation stop, Consumer<TaskWalk.Group> action,
            Path... roots) {
        TaskWalk walk = new TaskWalk(TreeWalker.of(calls, WalkOptions.defaults().withThreads(1)), 1, threads,
                Segmentation.NONE);
        return walk.run(List.of(roots).stream().map(root -> Root.of(ByteString.of(root))).toList(), stop, failures::add,
                action);
    }

    @Test
    void theFirstEntryDoesNotWaitUntilTheWalkHasFoundOthers() throws Exception {
        Path first = Files.createFile(directory.resolve("first"));
        Path later = Files.createDirectory(directory.resolve("later"));
        // The walk takes the last root first.
        Set<ByteString> handled = ConcurrentHashMap.newKeySet();
        FileSystemCalls calls = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.GETDENTS64)
                .named("later")
                .runs(call -> Awaitility.await().atMost(LONG).until(() -> handled.contains(ByteString.of(first)))));
        assertThat(run(calls, 4, new Cancellation(), group -> handled.add(group.entries().getFirst().fullPath()), later,
                first)).isTrue();
        assertThat(handled).containsExactlyInAnyOrder(ByteString.of(first), ByteString.of(later));
        assertThat(failures).isEmpty();
    }

    @Test
    void theThreadsThatCanBeStartedProcessAllEntries() throws Exception {
        for (int i = 0; i < 200; i++) {
            Files.createFile(directory.resolve("f" + i));
        }
        AtomicInteger left = new AtomicInteger(1);
        AtomicInteger handled = new AtomicInteger();
        TaskWalk walk = new TaskWalk(TreeWalker.of(Linux.calls(), WalkOptions.defaults().withThreads(1)), 1, 8,
                Segmentation.NONE);
        boolean isWhole = walk.run(List.of(Root.of(ByteString.of(directory.path()))), new Cancellation(), failures::add,
                group -> handled.incrementAndGet(), thread -> {
                    if (left.getAndDecrement() <= 0) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    thread.start();
                });
        assertThat(isWhole).isTrue();
        assertThat(handled).as("with the directory").hasValue(201);
    }

    @Test
    void aRequestToStopEndsAWalkThatWaitsForTheThreads() throws Exception {
        for (int i = 0; i < 200; i++) {
            Files.createFile(directory.resolve("f" + i));
        }
        Cancellation stop = new Cancellation();
        AtomicInteger handled = new AtomicInteger();
        assertThat(run(Linux.calls(), 1, stop, group -> {
            handled.incrementAndGet();
            stop.cancel();
        }, directory.path())).isFalse();
        assertThat(handled).hasValue(1);
    }

    @Test
    void aFaultOfAThreadEndsTheWalk() throws Exception {
        for (int i = 0; i < 200; i++) {
            Files.createFile(directory.resolve("f" + i));
        }
        IllegalStateException fault = new IllegalStateException("broken");
        assertThat(catchThrowable(() -> run(Linux.calls(), 2, new Cancellation(), group -> {
            throw fault;
        }, directory.path()))).isSameAs(fault);
    }
}
