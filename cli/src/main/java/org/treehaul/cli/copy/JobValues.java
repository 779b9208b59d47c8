// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Walltime;
import org.treehaul.cli.common.PoolAddress;
import org.treehaul.cli.common.Texts;
import org.treehaul.cli.common.UsageException;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.discovery.Schedulers;
import org.treehaul.schedulers.pool.PoolProvider;
import org.treehaul.schedulers.pool.UserPrograms;
import picocli.CommandLine.Model.CommandSpec;

/** The values of the options that describe jobs, as Picocli sets them one after the other. */
final class JobValues {

    private final CommandSpec command;
    private @Nullable String scheduler;
    private @Nullable String space;
    private int jobs;
    private int maxRunning;
    private final List<String> queue = new ArrayList<>();
    private final List<String> pre = new ArrayList<>();
    private final List<String> post = new ArrayList<>();
    private @Nullable String onComplete;
    private @Nullable Duration walltime;
    private final List<String> finishQueue = new ArrayList<>();
    private @Nullable Duration finishWalltime;
    private boolean requeue;

    JobValues(CommandSpec command) {
        this.command = command;
    }

    /** Sets the value of an option; ignores options that do not describe jobs. */
    void set(String option, Object value) {
        switch (option) {
            case "--scheduler" -> scheduler = (String) value;
            case "--space" -> space = (String) value;
            case "--jobs" -> jobs = positive(option, (Integer) value);
            case "--max-running" -> maxRunning = positive(option, (Integer) value);
            case "--queue" -> queue.add((String) value);
            case "--walltime" -> walltime = walltime(option, (String) value);
            case "--finish-queue" -> finishQueue.add((String) value);
            case "--finish-walltime" -> finishWalltime = walltime(option, (String) value);
            case "--requeue" -> requeue = (Boolean) value;
            case "--pre" -> pre.add((String) value);
            case "--post" -> post.add((String) value);
            case "--on-complete" -> onComplete = (String) value;
            default -> {
                // An option for planning only.
            }
        }
    }

    private int positive(String option, int value) {
        return (int) UsageException.fromOne(command, option, Long.MAX_VALUE, value);
    }

    private @Nullable Duration walltime(String option, String text) {
        try {
            return text.isBlank() ? null : Walltime.parse(text);
        } catch (IllegalArgumentException e) {
            throw usage(option + " " + e.getMessage());
        }
    }

    /** Returns whether the values request jobs. */
    boolean requestJobs() {
        return scheduler != null || jobs > 0;
    }

    /** Returns the address of a space as given, null if there is none. */
    @Nullable String space() {
        return space;
    }

    /** Returns the name of the scheduler, which contains the address of the space if it is a pool. */
    String scheduler() {
        if (isPool() && space != null) {
            return PoolProvider.name(PoolAddress.parse(command, "--space", space));
        }
        return scheduler == null ? "auto" : scheduler;
    }

    private boolean isPool() {
        return PoolProvider.NAME.equals(scheduler);
    }

    /** Returns the number of jobs, 0 if it was not given. */
    int jobs() {
        return jobs;
    }

    /** Sets the number of jobs unless it was given. */
    void suggestJobs(int number) {
        jobs = jobs == 0 && number > 1 ? number : jobs;
    }

    /** Checks conditions that the option types cannot express. */
    void check() {
        if (scheduler != null) {
            requireScheduler(scheduler);
        }
        checkPool();
        for (List<String> texts : List.of(queue, finishQueue, pre, post,
                onComplete == null ? List.<String>of() : List.of(onComplete))) {
            for (String text : texts) {
                requireText(text);
            }
        }
        requireLines("--queue", queue);
        requireLines("--finish-queue", finishQueue);
    }

    private void checkPool() {
        if (!isPool()) {
            // With --at of run it is that of the catalogue.
            if (space != null && !command.commandLine().getParseResult().hasMatchedOption("--at")) {
                throw usage("--space needs --scheduler pool");
            }
            return;
        }
        if (space == null) {
            throw usage("--scheduler pool needs --space URI, the space that its workers share, or the setting 'space'");
        }
        PoolAddress.parse(command, "--space", space);
        if (!lines(pre).isEmpty() || !lines(post).isEmpty()) {
            throw usage("--pre and --post run in jobs that a scheduler starts, but the workers of a pool run already: "
                    + "start them as they need to be");
        }
        try {
            UserPrograms.checkOnComplete(onComplete != null && !onComplete.isBlank());
        } catch (IOException e) {
            throw usage(StateDirectory.reason(e));
        }
    }

    private void requireScheduler(String name) {
        try {
            List<String> names = Schedulers.names();
            if (!names.contains(name)) {
                throw usage("--scheduler must be one of " + String.join(", ", names) + ", not '"
                        + ExactArguments.printable(name) + "'");
            }
        } catch (SchedulerException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    // Scripts are UTF-8 text; the locale of the user who submits them does not matter.
    private void requireText(String argument) {
        if (!Texts.isText(argument)) {
            throw usage(
                    "options and commands for jobs must be UTF-8, not '" + ExactArguments.printable(argument) + "'");
        }
    }

    private void requireLines(String option, List<String> lines) {
        if (lines.stream().anyMatch(line -> line.chars().anyMatch(c -> c == '\n' || c == '\r'))) {
            throw usage(option + " must be one line; repeat the option for more");
        }
    }

    private UsageException usage(String message) {
        return new UsageException(command.commandLine(), message);
    }

    /** Returns the options for jobs that are no ranks. */
    JobOptions toOptions() {
        return new JobOptions(scheduler(), jobs, maxRunning, lines(queue), Optional.ofNullable(walltime),
                finishQueue.isEmpty() ? Optional.empty() : Optional.of(lines(finishQueue)),
                Optional.ofNullable(finishWalltime), requeue, lines(pre), lines(post),
                Optional.ofNullable(onComplete).map(Texts::decode).filter(line -> !line.isBlank()), 0, "");
    }

    // An empty value cancels values given before.
    private static List<String> lines(List<String> values) {
        return values.stream().map(Texts::decode).map(String::strip).filter(line -> !line.isEmpty()).toList();
    }
}
