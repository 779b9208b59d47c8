// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.OnComplete;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.common.SpaceAddress;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.config.JobSettings;
import org.treehaul.cli.space.SpaceOption;
import org.treehaul.cli.transfer.CommandPublication;
import org.treehaul.cli.transfer.StateOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.request.JobChanges;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.transfer.CommandPublisher;
import org.treehaul.tuplespace.transfer.Publication;
import picocli.CommandLine.Model.CommandSpec;

/** The options for copying with jobs. */
public final class TransferOptions {

    private static final String PUBLISH = "--publish";

    private static final List<String> NEED_JOBS = Stream
            .concat(JobSettings.SHAPE_JOBS.stream(), Stream.of("wait", "save", "plan", "no-space-check"))
            .map("--"::concat)
            .toList();

    // Options of jobs that also have a meaning without them.
    private static final Set<String> WITHOUT_JOBS = Set.of(OnComplete.OPTION, PUBLISH);

    private final CommandSpec command;
    private final StateOptions state;
    private final JobValues values;
    private boolean planInJob;
    private @Nullable String publish;
    private boolean wait;
    private boolean isIdNoted;
    private boolean save;

    /** Adds the options to a command that continues or follows a transfer, whose plan exists. */
    static TransferOptions ofPlanned(CommandSpec command) {
        TransferOptions options = new TransferOptions(command);
        Options.hide(command, "--plan-in-job");
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
        this.values = new JobValues(command);
        BiConsumer<String, Object> set = this::set;
        Options.add(command, Options.named(String.class, set, "--scheduler"), "NAME",
                "Work by jobs of this scheduler: slurm, pbs, openpbs, torque, local (this machine), pool (workers that run already), "
                        + "or auto (the one that is found); see 'treehaul status'.");
        Options.add(command, Options.named(String.class, set, "--space"), "URI",
                "The tuple space that the workers of the pool share: DIR, partitions:FILE or postgresql://HOST/DATABASE; see 'treehaul worker'.");
        Options.add(command, Options.named(Integer.class, set, "--jobs"), "N",
                "Work by N jobs, which share the batches; implies --scheduler auto. Default: 8; local: 1.");
        Options.add(command, Options.named(Integer.class, set, "--max-running"), "N",
                "Run at most N of the jobs at the same time.");
        Options.add(command, Options.named(String.class, set, "--queue"), "OPTIONS",
                "Pass OPTIONS to the scheduler for each job, for example '-p short -A project'. May be repeated; '' "
                        + "discards those given before.");
        Options.add(command, Options.named(String.class, set, "--walltime"), "TIME",
                "Limit each job to TIME: minutes, H:MM, H:MM:SS or D-HH:MM. Unfinished work is left for " + "resume.");
        Options.add(command, Options.named(String.class, set, "--finish-queue"), "OPTIONS",
                "Pass OPTIONS to the scheduler for the finishing job, instead of those of --queue that suit "
                        + "a single job (partition, account; not nodes, GPUs, time). May be repeated.");
        Options.add(command, Options.named(String.class, set, "--finish-walltime"), "TIME",
                "Limit the finishing job to TIME. Default: the limit of the queue, not --walltime.");
        Options.add(command, Options.named(Boolean.class, set, "--requeue").negatable(true),
                "Requeue a job that reaches its time limit; --no-requeue cancels this.");
        Options.add(command, Options.named(Boolean.class, set, "--plan-in-job"),
                "Walk the sources in a job too, instead of here.");
        Options.add(command, Options.named(String.class, set, "--pre"), "COMMAND",
                "Run COMMAND in each job before its work, for example 'module load java'. May be repeated.");
        Options.add(command, Options.named(String.class, set, "--post"), "COMMAND",
                "Run COMMAND in each job after its work. May be repeated.");
        Options.add(command, Options.named(String.class, set, "--on-complete"), "COMMAND",
                "Run COMMAND at the end, with the exit code in TREEHAUL_CODE and the id of a transfer in "
                        + "TREEHAUL_TRANSFER.");
        Options.add(command, Options.named(String.class, set, PUBLISH), "URI",
                "Publish the work while it runs in this tuple space, DIR, partitions:FILE or postgresql://HOST/DATABASE, for "
                        + "'treehaul query --transfers'.");
        Options.add(command, Options.named(Boolean.class, set, "--wait"),
                "Wait for the jobs, show their progress, and exit with the result.");
        Options.add(command, Options.named(Boolean.class, set, "--save"),
                "Save these options for jobs as your settings; see 'treehaul config'.");
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

    /**
     * Checks conditions that the option types cannot express.
     *
     * @param meant options that also have a meaning without jobs
     */
    public void check(Set<String> meant) {
        checkValues(isTransfer());
        if (!isTransfer()) {
            for (String name : NEED_JOBS) {
                if (!meant.contains(name) && !WITHOUT_JOBS.contains(name) && Options.find(command, name) != null
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
        if (published().isPresent() && Options.find(command, "--dry-run") != null && given("--dry-run")) {
            throw usage("--publish records work, and --dry-run does none; leave one of them out");
        }
        values.check();
        if (haveJobs && !wait && Options.find(command, "--metrics") != null && given("--metrics")) {
            throw usage("--metrics needs --wait; 'treehaul status --metrics FILE ID' writes those of a transfer");
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
        return values.requestJobs();
    }

    /** Returns the address of a space as given, null if there is none. */
    @Nullable String space() {
        return values.space();
    }

    public String scheduler() {
        return values.scheduler();
    }

    int jobs() {
        return JobOptions.of(scheduler()).withJobs(values.jobs()).workers();
    }

    /** Sets the number of jobs unless it was given. */
    void suggestJobs(int number) {
        values.suggestJobs(number);
    }

    public boolean planInJob() {
        return planInJob;
    }

    /** Prints the id of a transfer only in the message on standard error. */
    public void noteId() {
        isIdNoted = true;
    }

    /** Returns whether the id of a transfer is printed on standard output. */
    boolean printsId() {
        return !isIdNoted;
    }

    /**
     * Opens an earlier transfer, by its id, the end of its id, or {@code last}.
     *
     * @throws IOException if there is no such transfer, or it is damaged
     */
    public TransferDirectory open(String transfer) throws IOException {
        return state.open(transfer);
    }

    public boolean isToWait() {
        return wait;
    }

    private Optional<SpaceUri> published() {
        return Optional.ofNullable(publish)
                .filter(text -> !text.isEmpty())
                .map(text -> SpaceAddress.toCreate(command, PUBLISH, text, SpaceOption.space(command, text)));
    }

    /** Records the space in which the processes of a transfer publish it, if one was given. */
    void publish(TransferDirectory transfer) throws IOException {
        Optional<SpaceUri> space = published();
        if (space.isPresent()) {
            Publication.set(transfer, space.get());
        }
    }

    /** Returns whether work by this process is published. */
    public boolean isPublished() {
        return publish != null && !publish.isEmpty();
    }

    /**
     * Publishes work by this process from now on, if a space was given.
     *
     * @param operation the word of its operation
     * @param sources the sources, or the trees to process
     * @param targets the copies of the sources in the same order, or nothing
     * @param isChecked whether it reads back what it writes
     */
    public void publish(Session session, CommonOptions common, String operation, List<ByteString> sources,
            List<ByteString> targets, boolean isChecked) {
        published().ifPresent(space -> CommandPublication.begin(session, space,
                new CommandPublisher.Work(operation,
                        command.name() + " " + CopyRequests.display(FreeText.unshield(common.line())), sources, targets,
                        isChecked)));
    }

    /** Publishes a copy or a move in the same way. */
    public void publish(Session session, CommonOptions common, String operation, List<CopyPair> pairs,
            boolean isChecked) {
        publish(session, common, operation, pairs.stream().map(pair -> pair.source().path()).toList(),
                pairs.stream().map(CopyPair::target).toList(), isChecked);
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

    /** Returns the options for jobs. */
    public JobOptions jobOptions(RankOptions ranks) {
        return ranks.areGiven() ? jobOptions().withRanks(ranks.ranks(), ranks.distribution().name()) : jobOptions();
    }

    /** Returns the options for jobs that are no ranks. */
    JobOptions jobOptions() {
        return values.toOptions();
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
            return Options.find(command, name) != null && given(name);
        }).collect(Collectors.toUnmodifiableSet());
    }

    private void set(String option, Object value) {
        switch (option) {
            case "--plan-in-job" -> planInJob = (Boolean) value;
            case PUBLISH -> publish = (String) value;
            case "--wait" -> wait = (Boolean) value;
            case "--save" -> save = (Boolean) value;
            default -> values.set(option, value);
        }
    }

    /** Returns the options in the form for a settings file. */
    Map<String, String> toSave() {
        return JobSettings.toSave(command, values.toOptions().requeue());
    }
}
