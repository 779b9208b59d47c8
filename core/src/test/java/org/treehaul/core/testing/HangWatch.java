// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.TestTag;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Ends what hangs in the JVM of a test: after half an hour without the begin or end of a test, writes the stacks of all
 * threads and the processes that the JVM started to {@code target/hung-PID.txt}, which {@code ./check} shows, kills the
 * processes, and interrupts the threads that wait. If the test still has not ended after two more minutes, ends the
 * JVM, for which Maven names the test. Campaigns may take longer.
 */
public final class HangWatch implements TestExecutionListener {
    private static final Duration LIMIT = Duration.ofMinutes(Long.getLong("treehaul.test.patience", 30));
    private static final Duration GRACE = Duration.ofMinutes(2);
    private static final TestTag CAMPAIGN = TestTag.create("campaign");

    private final Duration limit;
    private final Duration grace;
    private final Path report;
    private final Runnable end;
    private final Set<TestIdentifier> running = ConcurrentHashMap.newKeySet();
    private volatile long changed = System.nanoTime();
    private @Nullable Thread thread;

    /** Called by the launcher. */
    public HangWatch() {
        this(LIMIT, GRACE, Path.of("target/hung-" + ProcessHandle.current().pid() + ".txt"),
                () -> Runtime.getRuntime().halt(1));
    }

    HangWatch(Duration limit, Duration grace, Path report, Runnable end) {
        this.limit = limit;
        this.grace = grace;
        this.report = report;
        this.end = end;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        changed = System.nanoTime();
        thread = Thread.ofPlatform().daemon().name("hang-watch").start(this::watch);
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        if (thread != null) {
            thread.interrupt();
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        running.add(test);
        changed = System.nanoTime();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        running.remove(test);
        changed = System.nanoTime();
    }

    private boolean hangs(Duration time) {
        return System.nanoTime() - changed > time.toNanos()
                && running.stream().noneMatch(test -> test.getTags().contains(CAMPAIGN));
    }

    private void watch() {
        boolean isWarned = false;
        try {
            while (true) {
                Thread.sleep(Math.clamp(limit.toMillis() / 10, 1, 1000));
                if (!hangs(limit)) {
                    isWarned = false;
                } else if (!isWarned) {
                    isWarned = true;
                    report();
                    interrupt();
                } else if (hangs(limit.plus(grace))) {
                    end.run();
                }
            }
        } catch (InterruptedException e) {
            // All tests have ended.
        }
    }

    private void report() {
        StringBuilder text = new StringBuilder("These tests hang:\n");
        running.stream()
                .filter(TestIdentifier::isTest)
                .forEach(test -> text.append(test.getDisplayName())
                        .append(' ')
                        .append(test.getSource().map(TestSource::toString).orElse(""))
                        .append('\n'));
        ProcessHandle.current()
                .descendants()
                .forEach(process -> text.append("process ")
                        .append(process.pid())
                        .append(' ')
                        .append(process.info().commandLine().orElse("?"))
                        .append('\n'));
        for (Map.Entry<Thread, StackTraceElement[]> thread : Thread.getAllStackTraces().entrySet()) {
            text.append('\n').append(thread.getKey()).append(' ').append(thread.getKey().getState()).append('\n');
            for (StackTraceElement frame : thread.getValue()) {
                text.append("  ").append(frame).append('\n');
            }
        }
        try {
            Files.writeString(report, text);
        } catch (IOException e) {
            System.err.println(text.append(e));
        }
    }

    private static void interrupt() {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        Thread.getAllStackTraces()
                .keySet()
                .stream()
                .filter(thread -> thread.getName().equals("main"))
                .forEach(Thread::interrupt);
    }
}
