// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.args.Walltime;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.OnComplete;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Texts;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.config.Configuration;
import org.treehaul.cli.transfer.StateOptions;
import org.treehaul.core.transfer.request.JobChanges;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.discovery.Schedulers;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The options for copying with jobs. */
public final class TransferOptions {

    /** Options that turn work into jobs, by their long names. */
    public static final List<String> MAKE_JOBS = List.of("scheduler", "jobs");

    // These describe the jobs.
    private static final List<String> SHAPE_JOBS = List.of("max-running", "queue", "walltime", "finish-queue",
            "finish-walltime", "requeue", "plan-in-job", "pre", "post", "on-complete", "strategy", "batches",
            "batch-files", "batch-bytes");

    // These have no effect on jobs of this machine, which wait in no queue.
    private static final List<String> OF_QUEUE = List.of("queue", "finish-queue", "finish-walltime", "requeue");

    private static final List<String> NEED_JOBS = Stream
            .concat(SHAPE_JOBS.stream(), Stream.of("wait", "save", "plan", "no-space-check"))
            .map("--"::concat)
            .toList();

    /** Options for jobs that may be settings, by their long names. */
    public static final List<String> OF_JOBS = Stream.concat(MAKE_JOBS.stream(), SHAPE_JOBS.stream()).toList();

    private final CommandSpec command;
    private final StateOptions state;
    private @Nullable String scheduler;
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
    private boolean planInJob;
    private boolean wait;
    private boolean save;

    /** Adds the options to a command that continues or follows a transfer, whose plan exists. */
    static TransferOptions ofPlanned(CommandSpec command) {
        TransferOptions options = new TransferOptions(command);
        OptionSpec option = command.findOption("--plan-in-job");
        command.remove(option);
        command.addOption(option.toBuilder().hidden(true).build());
        return options;
    }

    /** Adds the options to a command. */
    public TransferOptions(CommandSpec command) {
        this(command, "Keep the state of transfers in DIR, which all nodes must share.");
    }

    /**
     * Adds the options to a command.
     *
     * @param keeps the description of {@code --state-dir}
     */
    public TransferOptions(CommandSpec command, String keeps) {
        this.command = command;
        BiConsumer<String, Object> set = this::set;
        command.addOption(Options.named(String.class, set, "--scheduler")
                .paramLabel("NAME")
                .description(
                        "Work by jobs of this scheduler: slurm, pbs, openpbs, torque, local (this machine), or auto (the one that is found); see "
                                + "'treehaul status'.")
                .build());
        command.addOption(Options.named(Integer.class, set, "--jobs")
                .paramLabel("N")
                .description("Work by N jobs, which share the batches; implies --scheduler auto. Default: 8; local: 1.")
                .build());
        command.addOption(Options.named(Integer.class, set, "--max-running")
                .paramLabel("N")
                .description("Run at most N of the jobs at the same time.")
                .build());
        command.addOption(Options.named(String.class, set, "--queue")
                .paramLabel("OPTIONS")
                .description(
                        "Pass OPTIONS to the scheduler for each job, for example '-p short -A project'. May be repeated; '' "
                                + "discards those given before.")
                .build());
        command.addOption(Options.named(String.class, set, "--walltime")
                .paramLabel("TIME")
                .description("Limit each job to TIME: minutes, H:MM, H:MM:SS or D-HH:MM. Unfinished work is left for "
                        + "resume.")
                .build());
        command.addOption(Options.named(String.class, set, "--finish-queue")
                .paramLabel("OPTIONS")
                .description(
                        "Pass OPTIONS to the scheduler for the finishing job, instead of those of --queue that suit "
                                + "a single job (partition, account; not nodes, GPUs, time). May be repeated.")
                .build());
        command.addOption(Options.named(String.class, set, "--finish-walltime")
                .paramLabel("TIME")
                .description("Limit the finishing job to TIME. Default: the limit of the queue, not --walltime.")
                .build());
        command.addOption(Options.named(Boolean.class, set, "--requeue")
                .negatable(true)
                .description("Requeue a job that reaches its time limit; --no-requeue cancels this.")
                .build());
        command.addOption(Options.named(Boolean.class, set, "--plan-in-job")
                .description("Walk the sources in a job too, instead of here.")
                .build());
        command.addOption(Options.named(String.class, set, "--pre")
                .paramLabel("COMMAND")
                .description(
                        "Run COMMAND in each job before its work, for example 'module load java'. May be repeated.")
                .build());
        command.addOption(Options.named(String.class, set, "--post")
                .paramLabel("COMMAND")
                .description("Run COMMAND in each job after its work. May be repeated.")
                .build());
        command.addOption(Options.named(String.class, set, "--on-complete")
                .paramLabel("COMMAND")
                .description("Run COMMAND at the end, with the exit code in TREEHAUL_CODE and the id of a transfer in "
                        + "TREEHAUL_TRANSFER.")
                .build());
        command.addOption(Options.named(Boolean.class, set, "--wait")
                .description("Wait for the jobs, show their progress, and exit with the result.")
                .build());
        command.addOption(Options.named(Boolean.class, set, "--save")
                .description("Save these options for jobs as your settings; see 'treehaul config'.")
                .build());
        this.state = new StateOptions(command, keeps);
    }

    /** Returns the names of options that apply to jobs, to watching them, or to an existing plan. */
    public static Set<String> namesBesidePlan() {
        CommandSpec own = CommandSpec.create();
        new TransferOptions(own);
        new RankOptions(own, new CommonOptions(own));
        Set<String> names = new TreeSet<>(Set.of("--plan", "--no-space-check"));
        own.options().forEach(option -> names.add(option.longestName()));
        names.remove("--plan-in-job");
        return names;
    }

    /** Returns whether the arguments request jobs. */
    public static boolean makeJobs(String[] args) {
        return MAKE_JOBS.stream().anyMatch(name -> Configuration.isGiven(args, "--" + name));
    }

    /**
     * Returns whether a setting applies to the jobs that the arguments request: those for a queue are meant for a
     * cluster, not for jobs of this machine.
     */
    public static boolean suits(String setting, String[] args, Configuration configuration) {
        if (!OF_QUEUE.contains(setting)) {
            return true;
        }
        List<String> words = List.of(args);
        boolean isLocal = Configuration.isGiven(args, "--scheduler")
                ? words.contains("--scheduler=local")
                        || Collections.indexOfSubList(words, List.of("--scheduler", "local")) >= 0
                : configuration.settings()
                        .stream()
                        .anyMatch(one -> one.name().equals("scheduler") && one.value().equals("local"));
        return !isLocal;
    }

    /**
     * Checks conditions that the option types cannot express.
     *
     * @param meant options that also have a meaning without jobs
     */
    public void check(Set<String> meant) {
        checkValues(isTransfer());
        if (!isTransfer()) {
            for (String name : NEED_JOBS) {
                if (!meant.contains(name) && !name.equals(OnComplete.OPTION) && command.findOption(name) != null
                        && given(name)) {
                    throw usage(name + " needs --scheduler or --jobs");
                }
            }
        }
    }

    /** Checks the same for a transfer that has had jobs, which need no other option. */
    void checkAgain() {
        if (planInJob) {
            throw usage("--plan-in-job is for cp; '" + command.name()
                    + "' uses the plan of the transfer, or makes it as cp would have");
        }
        checkValues(true);
    }

    private void checkValues(boolean haveJobs) {
        if (scheduler != null) {
            requireScheduler(scheduler);
        }
        for (List<String> texts : List.of(queue, finishQueue, pre, post,
                onComplete == null ? List.<String>of() : List.of(onComplete))) {
            for (String text : texts) {
                requireText(text);
            }
        }
        if (haveJobs && !wait && command.findOption("--metrics") != null && given("--metrics")) {
            throw usage("--metrics needs --wait; 'treehaul status --metrics FILE ID' writes those of a transfer");
        }
        requireLines("--queue", queue);
        requireLines("--finish-queue", finishQueue);
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

    // Scripts are UTF-8 text, whatever the locale of the user who submits them.
    private void requireText(String argument) {
        if (!Texts.isText(argument)) {
            throw usage(
                    "options and commands for jobs must be UTF-8, not '" + ExactArguments.printable(argument) + "'");
        }
    }

    private boolean given(String option) {
        return command.commandLine().getParseResult().hasMatchedOption(option);
    }

    private UsageException usage(String message) {
        return new UsageException(command.commandLine(), message);
    }

    /** Returns whether jobs do the copy. */
    public boolean isTransfer() {
        return scheduler != null || jobs > 0;
    }

    public String scheduler() {
        return scheduler == null ? "auto" : scheduler;
    }

    int jobs() {
        return JobOptions.of(scheduler()).withJobs(jobs).workers();
    }

    /** Sets the number of jobs unless it was given. */
    void suggestJobs(int number) {
        jobs = jobs == 0 && number > 1 ? number : jobs;
    }

    private void requireLines(String option, List<String> lines) {
        if (lines.stream().anyMatch(line -> line.chars().anyMatch(c -> c == '\n' || c == '\r'))) {
            throw usage(option + " must be one line; repeat the option for more");
        }
    }

    List<String> queue() {
        return lines(queue);
    }

    /** Returns the options of the finishing job; empty if none were given. */
    Optional<List<String>> finishQueue() {
        return finishQueue.isEmpty() ? Optional.empty() : Optional.of(lines(finishQueue));
    }

    List<String> pre() {
        return lines(pre);
    }

    List<String> post() {
        return lines(post);
    }

    // An empty value cancels values given before.
    private static List<String> lines(List<String> values) {
        return values.stream().map(Texts::decode).map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    Optional<String> onComplete() {
        return Optional.ofNullable(onComplete).map(Texts::decode).filter(command -> !command.isBlank());
    }

    Optional<Duration> finishWalltime() {
        return Optional.ofNullable(finishWalltime);
    }

    Optional<Duration> walltime() {
        return Optional.ofNullable(walltime);
    }

    public boolean planInJob() {
        return planInJob;
    }

    public boolean isToWait() {
        return wait;
    }

    boolean isToSave() {
        return save;
    }

    StateOptions state() {
        return state;
    }

    public Path stateDirectory() {
        return state.directory();
    }

    private @Nullable Duration walltime(String option, String text) {
        try {
            return text.isBlank() ? null : Walltime.parse(text);
        } catch (IllegalArgumentException e) {
            throw usage(option + " " + e.getMessage());
        }
    }

    private int positive(String option, int value) {
        return (int) UsageException.fromOne(command, option, Long.MAX_VALUE, value);
    }

    private Map<String, List<String>> given() {
        Map<String, List<String>> given = new TreeMap<>();
        for (String name : OF_JOBS) {
            if (command.findOption("--" + name) != null && given("--" + name)) {
                List<String> values = command.commandLine()
                        .getParseResult()
                        .matchedOption("--" + name)
                        .originalStringValues();
                given.put(name, values.isEmpty() ? List.of("true") : List.copyOf(values));
            }
        }
        if (command.findOption("--state-dir") != null && given("--state-dir")) {
            given.put("state-dir",
                    command.commandLine().getParseResult().matchedOption("--state-dir").originalStringValues());
        }
        // --no-requeue is the same option.
        given.computeIfPresent("requeue", (name, value) -> List.of(String.valueOf(requeue)));
        return given;
    }

    /** Returns the options for jobs. */
    public JobOptions jobOptions(RankOptions ranks) {
        return ranks.areGiven() ? jobOptions().withRanks(ranks.ranks(), ranks.distribution().name()) : jobOptions();
    }

    /** Returns the options for jobs that are no ranks. */
    JobOptions jobOptions() {
        return new JobOptions(scheduler(), jobs, maxRunning, queue(), walltime(), finishQueue(), finishWalltime(),
                requeue, pre(), post(), onComplete(), 0, "");
    }

    /** Returns the options for jobs that were given, for a transfer that has had jobs. */
    JobChanges changes(RankOptions ranks) {
        return new JobChanges(jobOptions(ranks), givenOptions());
    }

    /** Returns the options for jobs that were given, for a transfer that has had jobs, without ranks. */
    JobChanges changes() {
        return new JobChanges(jobOptions(), givenOptions());
    }

    private Set<JobChanges.Option> givenOptions() {
        return Arrays.stream(JobChanges.Option.values()).filter(option -> {
            String name = "--" + option.name().toLowerCase(Locale.ROOT).replace('_', '-');
            return command.findOption(name) != null && given(name);
        }).collect(Collectors.toUnmodifiableSet());
    }

    private void set(String option, Object value) {
        switch (option) {
            case "--scheduler" -> scheduler = (String) value;
            case "--jobs" -> jobs = positive(option, (Integer) value);
            case "--max-running" -> maxRunning = positive(option, (Integer) value);
            case "--queue" -> queue.add((String) value);
            case "--walltime" -> walltime = walltime(option, (String) value);
            case "--finish-queue" -> finishQueue.add((String) value);
            case "--finish-walltime" -> finishWalltime = walltime(option, (String) value);
            case "--requeue" -> requeue = (Boolean) value;
            case "--plan-in-job" -> planInJob = (Boolean) value;
            case "--pre" -> pre.add((String) value);
            case "--post" -> post.add((String) value);
            case "--on-complete" -> onComplete = (String) value;
            case "--wait" -> wait = (Boolean) value;
            case "--save" -> save = (Boolean) value;
            default -> {
                // An option for planning only.
            }
        }
    }

    /** Returns the options in the form for a settings file. */
    Map<String, String> toSave() {
        Map<String, String> settings = new TreeMap<>();
        given().forEach((name, values) -> {
            if (values.size() > 1 && List.of("queue", "finish-queue", "pre", "post").contains(name)) {
                throw usage("--save keeps one --" + name + " only; join them, or write them into a site's file");
            }
            settings.put(name, values.getLast().strip());
        });
        return settings;
    }
}
