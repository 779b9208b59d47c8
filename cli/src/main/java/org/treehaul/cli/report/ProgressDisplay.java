// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Progress;
import org.treehaul.core.walk.summary.TotalCount;

/** Shows progress while it is open, on a thread of its own. */
public final class ProgressDisplay implements AutoCloseable {

    private static final long REDRAW_NANOS = 200_000_000;

    // Without a bar: a command that ends sooner does not load the code that looks at the counters.
    private static final long LOOK_NANOS = 1_000_000_000;
    private static final int BUSY_SHOWN = 64;

    private final Screen screen;
    private final Progress progress;
    private final Supplier<@Nullable TotalCount> total;
    private final boolean isBar;
    private final long intervalNanos;
    private final @Nullable JsonLines json;
    private final long started = System.nanoTime();
    private final ProgressLine line;
    private final StallWatch stalls;
    private final Thread thread = Thread.ofPlatform().name("treehaul-progress").daemon().unstarted(this::run);
    private volatile boolean resized = true;
    private boolean closed;
    private Progress.Snapshot lastCounts;

    /**
     * Begins to show progress.
     *
     * @param total counts the total work while it runs; null if nothing counts it
     * @param isBar whether a line is redrawn in place, rather than new lines printed from time to time
     * @param interval the time between two new lines or two objects, zero for none
     * @param json receives an object at each interval, or null
     */
    public static ProgressDisplay open(Screen screen, Progress progress, Supplier<@Nullable TotalCount> total,
            boolean isBar, Duration interval, @Nullable JsonLines json) {
        ProgressDisplay display = new ProgressDisplay(screen, progress, total, isBar, interval.toNanos(), json);
        if (isBar || interval.isPositive()) {
            display.thread.start();
        }
        return display;
    }

    private ProgressDisplay(Screen screen, Progress progress, Supplier<@Nullable TotalCount> total, boolean isBar,
            long intervalNanos, @Nullable JsonLines json) {
        this.screen = screen;
        this.progress = progress;
        this.total = total;
        this.isBar = isBar;
        this.intervalNanos = intervalNanos;
        this.json = json;
        this.lastCounts = progress.snapshot();
        this.stalls = new StallWatch(progress);
        this.line = new ProgressLine(lastCounts, started);
    }

    /** Records that the width of the terminal may have changed. */
    public void resized() {
        resized = true;
    }

    private void run() {
        int columns = 0;
        long next = started + intervalNanos;
        try {
            while (waitForTick(isBar ? REDRAW_NANOS : Math.min(LOOK_NANOS, next - System.nanoTime()))) {
                if (isBar && resized) {
                    resized = false;
                    columns = Terminal.columns();
                }
                long now = System.nanoTime();
                boolean isDue = intervalNanos > 0 && now - next >= 0;
                if (isDue) {
                    next = now + intervalNanos;
                }
                tick(columns, now, isDue);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean waitForTick(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; !closed && left > 0; left = end - System.nanoTime()) {
            // Not 0, which waits without end.
            wait(left / 1_000_000 + 1);
        }
        return !closed;
    }

    private synchronized void tick(int columns, long now, boolean isDue) {
        if (closed) {
            return;
        }
        line.update(progress.snapshot(), now);
        stalls.look(Instant.now());
        line.during(progress.phase().isEmpty() ? stalls.stalled() : progress.phase());
        TotalCount.Total all = total();
        if (isBar) {
            screen.status(line.bar(all, columns));
        } else if (isDue && json == null && hasNews()) {
            screen.note(line.log(all, Instant.now()) + stalls.oldest());
        }
        if (isDue && json != null) {
            writeJson(json, all);
        }
    }

    // A worker that waits for others has no entry in progress.
    private boolean hasNews() {
        Progress.Snapshot counts = progress.snapshot();
        boolean isNew = !counts.equals(lastCounts) || !progress.busy().isEmpty();
        lastCounts = counts;
        return isNew;
    }

    private TotalCount.@Nullable Total total() {
        TotalCount counted = total.get();
        return counted == null ? null : counted.total();
    }

    private void writeJson(JsonLines to, TotalCount.@Nullable Total all) {
        Progress.Snapshot counts = progress.snapshot();
        synchronized (to) {
            to.begin("progress");
            fields(to, counts, System.nanoTime() - started);
            to.number("bytes_per_second", line.bytesPerSecond()).number("entries_per_second", line.entriesPerSecond());
            if (all != null && all.isFinal()) {
                to.number("total_entries", all.entries()).number("total_bytes", all.bytes());
                long left = line.secondsLeft(all);
                if (left >= 0) {
                    to.number("percent", line.percent(all)).number("seconds_left", left);
                }
            }
            to.end();
            to.flush();
        }
    }

    /** Adds the counters to a JSON line. */
    public static JsonLines fields(JsonLines to, Progress.Snapshot counts, long nanos) {
        return to.number("entries", counts.entries())
                .number("files", counts.files())
                .number("directories", counts.directories())
                .number("bytes", counts.bytes())
                .number("verified_bytes", counts.verifiedBytes())
                .number("skipped", counts.skipped())
                .number("failures", counts.failures())
                .number("milliseconds", nanos / 1_000_000);
    }

    /** Prints the progress and the entries in progress. */
    public void printState() {
        String counts;
        synchronized (this) {
            line.update(progress.snapshot(), System.nanoTime());
            counts = line.plain(total());
        }
        screen.note(counts + ", " + Text.duration((System.nanoTime() - started) / 1_000_000_000) + " so far");
        printEntries("in progress: ");
    }

    /** Prints the unfinished entries before the program is ended. */
    public void printUnfinished() {
        printEntries("not done: ");
    }

    private void printEntries(String label) {
        List<String> busy = progress.busy();
        for (String entry : busy.subList(0, Math.min(BUSY_SHOWN, busy.size()))) {
            screen.note(label + entry);
        }
        if (busy.size() > BUSY_SHOWN) {
            screen.note("and " + (busy.size() - BUSY_SHOWN) + " more");
        }
    }

    /** Returns the nanoseconds since it was opened. */
    public long nanos() {
        return System.nanoTime() - started;
    }

    /** Ends the display and removes the status line. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        screen.status("");
    }
}
