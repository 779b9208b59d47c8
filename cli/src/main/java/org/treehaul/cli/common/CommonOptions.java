// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.report.Screen;
import org.treehaul.cli.report.Terminal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options that every command has for running and reporting. */
public final class CommonOptions {

    private static final long TICK_MILLIS = 100;

    /** When to use a feature that depends on the kind of output. */
    public enum When {
        auto,
        always,
        never
    }

    private static final double SHORTEST_SECONDS = 0.1;
    private static final double LONGEST_SECONDS = 1e6;

    private final CommandSpec command;

    public int threads;

    public boolean json;

    public When progress = When.auto;

    /** The time between progress lines. */
    public Duration interval = Duration.ofSeconds(10);

    When color = When.auto;

    private int verbosity;

    private boolean quiet;

    private @Nullable ByteString metrics;

    /** Adds the options to a command that works with several threads. */
    public CommonOptions(CommandSpec command) {
        this(command, true, "-h", "--help");
    }

    /** Adds the options to a command with several threads in which {@code -h} may have another meaning. */
    public CommonOptions(CommandSpec command, String... namesOfHelp) {
        this(command, true, namesOfHelp);
    }

    private CommonOptions(CommandSpec command, boolean hasThreads, String... namesOfHelp) {
        this.command = command;
        if (hasThreads) {
            addThreads();
        }
        Options.add(command, Options.flag(value -> json = value, "--json"), "Print NDJSON: one JSON object per line.");
        Options.add(command, Options.attached(When.class, "always", value -> progress = value, "--progress"), "WHEN",
                "Show progress. auto: a bar on a terminal, else a line from time to time; always: a bar; never. Default: auto.");
        Options.add(command, Options.value(Double.class, this::setInterval, "--progress-interval"), "SECONDS",
                "Print a progress line every SECONDS where there is no bar. Default: 10.");
        Options.add(command, Options.attached(When.class, "always", value -> color = value, "--color"), "WHEN",
                "Use colours: auto, always or never. Default: auto, which respects NO_COLOR.");
        Options.add(command, Options.flag(value -> verbosity += value ? 1 : 0, "-v", "--verbose"),
                "Print more; give it twice for diagnostics.");
        command.addOption(Options.help(namesOfHelp));
    }

    /** Adds the options to a command that shows or changes recorded work, with one thread. */
    public static CommonOptions ofOneThread(CommandSpec command) {
        return new CommonOptions(command, false, "-h", "--help");
    }

    private void addThreads() {
        Options.add(command,
                Options.value(Integer.class,
                        value -> threads = (int) UsageException.fromOne(command, "--threads", 256, value), "--threads"),
                "N", "Use N threads, 1 to 256. Default: adjusted to the file system during the run.");
    }

    private void setInterval(double seconds) {
        if (!(seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS)) {
            throw usage("--progress-interval must be 0.1 to 1,000,000 seconds, not " + seconds);
        }
        interval = Duration.ofNanos(Math.round(seconds * 1e9));
    }

    /** Adds {@code -q}, which leaves failures and notices only. */
    public void addQuiet() {
        Options.add(command, Options.flag(value -> {
            quiet = value;
            progress = When.never;
        }, "-q", "--quiet"), "Print failures and notices only: no progress, and no summary of success.");
    }

    /** Adds {@code --metrics}. */
    public void addMetrics() {
        Options.add(command, Options.value(ByteString.class, value -> metrics = value, "--metrics"), "FILE",
                "Write metrics to FILE in the text format of Prometheus, every --progress-interval seconds and at "
                        + "the end.");
    }

    /** Adds {@code --on-complete} to a command that has no jobs. */
    public void addOnComplete() {
        Options.add(command, Options.value(String.class, value -> {
        }, OnComplete.OPTION), "COMMAND", "Run COMMAND at the end, with the exit code in TREEHAUL_CODE.");
    }

    /** Returns the file of metrics, if requested. */
    public Optional<MetricsFile> metrics() {
        return Optional.ofNullable(metrics).map(path -> new MetricsFile(path, screen()));
    }

    /** Returns the name of the command. */
    String name() {
        return command.name();
    }

    /** Returns whether an option was given. */
    public boolean isGiven(String option) {
        return command.commandLine().getParseResult().hasMatchedOption(option);
    }

    public int verbosity() {
        return verbosity;
    }

    /** Returns whether progress and a summary of success are unwanted. */
    public boolean isQuiet() {
        return quiet;
    }

    /** Waits for the interval between reports, or until the run is cancelled. */
    public void awaitInterval(Cancellation cancellation) throws InterruptedException {
        long end = System.nanoTime() + interval.toNanos();
        while (!cancellation.isCancelled() && System.nanoTime() - end < 0) {
            Thread.sleep(TICK_MILLIS);
        }
    }

    /** Returns the screen for messages of this command. */
    public Screen screen() {
        return Screen.standard(command.name(), Terminal.wantsColor(color.name(), Terminal.ERR));
    }

    /** Returns the user's arguments after the name of the command. */
    public List<String> line() {
        List<String> given = command.commandLine().getParseResult().originalArgs();
        return !given.isEmpty() && given.getFirst().equals(command.name()) ? given.subList(1, given.size()) : given;
    }

    /** Returns the exception for invalid arguments. */
    public ParameterException usage(String message) {
        return new UsageException(command.commandLine(), message);
    }

    /** Checks the value of an option, as {@link UsageException#between} does. */
    public void checkBetween(String option, long least, long most, long value) {
        UsageException.between(command, option, least, most, value);
    }

    /** Refuses a negative number. */
    public void checkNotNegative(String option, double value) {
        if (value < 0) {
            throw usage(option + " must be 0 or more, not " + value);
        }
    }
}
