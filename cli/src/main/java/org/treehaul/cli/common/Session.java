// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.report.FailureLines;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.report.Problems;
import org.treehaul.cli.report.ProgressDisplay;
import org.treehaul.cli.report.Screen;
import org.treehaul.cli.report.Signals;
import org.treehaul.cli.report.Terminal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.walk.summary.TotalCount;

/** A running command: its output, its progress, and its cancellation. */
public final class Session implements EventListener, AutoCloseable {

    /** Counts the total work, if it is displayed. */
    public interface Counting {
        TotalCount start();
    }

    /** Receives the failures and the end of the work, to publish them. */
    public interface Recorder {

        /** Receives a failure, on any thread. */
        void failed(EntryFailure failure);

        /**
         * Receives the end of the work. Called once, or never if the work was refused or failed as a whole.
         *
         * @param isComplete whether every entry was tried
         */
        void ended(boolean isComplete);

        /** Ends the recording. Called last, at least once. */
        void close();
    }

    private static final long LONG_NANOS = 2_000_000_000L;

    private final Screen screen;
    private final Output output = Output.standard();
    private final boolean escapes = Terminal.is(Terminal.OUT);
    private final Problems problems;
    private final Progress progress = new Progress();
    private final Cancellation cancellation = new Cancellation();
    private final AtomicReference<String> lastNotice = new AtomicReference<>("");
    private final @Nullable JsonLines json;
    private final boolean isBar;
    private final ProgressDisplay display;
    private final @Nullable RunMetrics metrics;
    private volatile @Nullable Counting counting;
    private volatile @Nullable TotalCount total;
    private volatile boolean isWaiting;
    private volatile @Nullable Recorder recorder;
    private volatile @Nullable Runnable beforeHalt;

    private Session(CommonOptions options, boolean printsEntries, boolean isJob, boolean isShown, boolean hasMetrics) {
        isWaiting = !isShown;
        screen = options.screen();
        problems = new Problems(screen);
        json = options.json ? new JsonLines(output) : null;
        // A bar and lines of results on the same terminal would overwrite each other.
        boolean mayBar = isShown && !(escapes && (printsEntries || options.json));
        isBar = mayBar && (options.progress == CommonOptions.When.always
                || options.progress == CommonOptions.When.auto && Terminal.takesBar());
        boolean hasLines = isShown && options.progress != CommonOptions.When.never && (!isBar || options.json);
        metrics = hasMetrics
                ? options.metrics()
                        .map(file -> RunMetrics.open(file, options.name(), options.interval, progress))
                        .orElse(null)
                : null;
        display = ProgressDisplay.open(screen, progress, this::total, isBar,
                hasLines ? options.interval : Duration.ZERO, json);
        Signals.handle(screen, cancellation, isJob ? null : this::halt, () -> isWaiting, display::printState,
                display::resized);
    }

    /**
     * Begins a session: from now on signals are handled and the state is shown on request.
     *
     * @param printsEntries whether entries are printed one by one
     */
    public static Session begin(CommonOptions options, boolean printsEntries) {
        return new Session(options, printsEntries, false, true, true);
    }

    /** Begins a session that plans work for other processes, whose metrics are those of the transfer. */
    public static Session beginPlanning(CommonOptions options) {
        return new Session(options, false, false, true, false);
    }

    /** Begins a session that waits for other processes, with nothing of its own to display. */
    public static Session beginWaiting(CommonOptions options) {
        return new Session(options, false, false, false, false);
    }

    /** Records that from now on this process only waits for others: a signal ends it and needs no message. */
    public void onlyWaits() {
        isWaiting = true;
    }

    /** Begins a session in a job, where a repeated signal means the same as the first. */
    public static Session beginJob(CommonOptions options) {
        return new Session(options, false, true, true, false);
    }

    /**
     * Sets how the total work is counted. It is counted if progress is displayed: at once for a bar, and for lines when
     * the run proves to be long, because counting costs calls.
     */
    public void count(Counting how) {
        counting = how;
    }

    /** Sets what receives the failures and the end of the work from now on. */
    public void record(Recorder to) {
        recorder = to;
    }

    /** Returns the number of all entries of the work; empty if they are not counted, or not yet. */
    public OptionalLong totalEntries() {
        TotalCount counted = total;
        return counted == null ? OptionalLong.empty() : counted.entries();
    }

    /** Counts the total work to its end, even if it is not displayed, unless the command is cancelled. */
    public void countAll() throws InterruptedException {
        TotalCount started = total(true);
        if (started != null && !cancellation.isCancelled()) {
            started.await();
        }
    }

    // Called by the thread that displays progress.
    private @Nullable TotalCount total() {
        return total(isBar || nanos() >= LONG_NANOS);
    }

    private synchronized @Nullable TotalCount total(boolean isDue) {
        Counting how = counting;
        if (total == null && how != null && isDue) {
            total = how.start();
        }
        return total;
    }

    // A user who ends the command at once usually does so because it hangs, and wants to know where. Printed by another
    // thread, because standard error may hang as well.
    private void halt() {
        try {
            Runnable first = beforeHalt;
            if (first != null) {
                first.run();
            }
            Thread.ofPlatform().daemon().start(display::printUnfinished).join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Runtime.getRuntime().halt(ExitCode.INTERRUPTED.code());
        }
    }

    /** Sets what is done before a second signal ends the process. It must not wait. */
    public void beforeHalt(Runnable action) {
        beforeHalt = action;
    }

    public Screen screen() {
        return screen;
    }

    public Output output() {
        return output;
    }

    public Progress progress() {
        return progress;
    }

    public Cancellation cancellation() {
        return cancellation;
    }

    public Problems problems() {
        return problems;
    }

    /** Returns the writer of NDJSON, if requested. It is shared: hold its lock while writing a line. */
    public Optional<JsonLines> json() {
        return Optional.ofNullable(json);
    }

    /** Returns whether further results are wanted: the command is not interrupted, and the output has a reader. */
    public boolean isWanted() {
        return output.isUsable() && !cancellation.isCancelled();
    }

    /** Returns whether results go to a terminal, so that names must be escaped. */
    public boolean escapes() {
        return escapes;
    }

    public long nanos() {
        return display.nanos();
    }

    @Override
    public void onEvent(Event event) {
        switch (event) {
            case Event.Failed failed -> failed(failed.failure());
            case Event.Notice notice -> notice(notice.text());
            case Event.Done done -> done(done);
            case Event.Removed removed -> acted("remove", removed.path());
            case Event.Changed changed -> changed(changed);
            case Event.Ran ran -> acted("run", ran.path());
        }
    }

    private void failed(EntryFailure failure) {
        problems.failed(failure);
        Recorder to = recorder;
        if (to != null) {
            to.failed(failure);
        }
        if (json != null) {
            synchronized (json) {
                FailureLines.write(json, failure, null, -1);
            }
        }
    }

    private void notice(String text) {
        // The batches of a job give the same notice one after another.
        if (text.equals(lastNotice.getAndSet(text))) {
            return;
        }
        screen.note(text);
        if (json != null) {
            synchronized (json) {
                json.begin("notice").text("message", text).end();
            }
        }
    }

    private void done(Event.Done done) {
        if (json != null) {
            synchronized (json) {
                json.begin("done")
                        .text("action", done.action())
                        .path("source", done.source())
                        .path("destination", done.destination())
                        .end();
            }
        } else {
            output.line(done.action() + " " + done.source() + " -> " + done.destination());
        }
    }

    private void acted(String action, ByteString path) {
        if (json != null) {
            synchronized (json) {
                json.begin("done").text("action", action).path("path", path).end();
            }
        } else {
            output.line(action + " " + path);
        }
    }

    private void changed(Event.Changed changed) {
        if (json != null) {
            synchronized (json) {
                json.begin("done")
                        .text("action", changed.isChange() ? "change" : "retain")
                        .path("path", changed.path())
                        .text("attribute", changed.attribute())
                        .text("before", changed.before())
                        .text("after", changed.after())
                        .end();
            }
        } else {
            output.line((changed.isChange() ? "change " : "retain ") + changed.path() + ": " + text(changed));
        }
    }

    /** Returns the attribute and its values for a line of text. */
    public static String text(Event.Changed changed) {
        return changed.attribute() + " " + changed.before() + (changed.isChange() ? " -> " + changed.after() : "");
    }

    /** Prints no failures from now on; they still count. */
    public void silence() {
        problems.silence();
    }

    /** Prints the line with the final counts, if JSON is requested: truncated results do not have it. */
    public void summarize(Progress.Snapshot counts, boolean isComplete) {
        if (json != null) {
            synchronized (json) {
                json.begin("summary");
                ProgressDisplay.fields(json, counts, nanos()).flag("complete", isComplete).end();
            }
        }
    }

    /** Ends the display, prints the summary of problems, and returns the exit code. */
    public ExitCode end(Map<EntryFailure.Kind, Long> failures, boolean isComplete) {
        ExitCode code = code(failures, isComplete);
        if (metrics != null) {
            metrics.end();
        }
        Recorder to = recorder;
        if (to != null) {
            to.ended(isComplete);
        }
        return code;
    }

    private ExitCode code(Map<EntryFailure.Kind, Long> failures, boolean isComplete) {
        endDisplay();
        problems.summarize();
        Optional<String> problem = output.problem();
        if (problem.isPresent()) {
            screen.error(problem.get());
            return ExitCode.TROUBLE;
        }
        return ExitCode.of(failures, isComplete, cancellation.isCancelled() || output.isReaderGone());
    }

    @Override
    public void close() {
        endDisplay();
        Recorder to = recorder;
        if (to != null) {
            to.close();
            flush();
        }
    }

    private void endDisplay() {
        display.close();
        if (metrics != null) {
            metrics.close();
        }
        TotalCount counted = total;
        if (counted != null) {
            counted.close();
        }
        flush();
    }

    /** Flushes all results printed so far. */
    public void flush() {
        if (json != null) {
            synchronized (json) {
                json.flush();
            }
        }
        output.flush();
    }

    /** Writes all results and returns the code, or {@code TROUBLE} if that fails, which is reported. */
    public ExitCode written(ExitCode code) {
        flush();
        return output.isWritten(screen) ? code : ExitCode.TROUBLE;
    }
}
