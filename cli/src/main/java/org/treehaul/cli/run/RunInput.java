// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Conditions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.entries.EntryInput;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.NumberSet;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.task.CommandTask;
import org.treehaul.core.task.CommandTemplate;
import org.treehaul.core.task.Segmentation;
import org.treehaul.core.task.TaskBody;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.operation.Operation;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code run}, its sources and its command. */
final class RunInput {

    private static final double LONGEST_SECONDS = 1e9;
    private static final String SEPARATOR = "--";
    private static final String BY_LAYOUT = "layout";
    private static final NumberSet.Range REGULAR = new NumberSet.Range(FileField.KINDS.indexOf(EntryKind.REGULAR),
            FileField.KINDS.indexOf(EntryKind.REGULAR));

    final EntryInput entries;
    final CommonOptions common;
    private final SelectOptions select;
    private final Conditions conditions;
    private final ClassOptions classes;
    private final AtOptions at;
    private List<ByteString> operands = List.of();
    private double timeout;
    private int retries;
    private boolean isOnce;
    private @Nullable ByteString outputs;
    private boolean isJoined;
    private boolean isTagged;
    private @Nullable String division;
    private @Nullable String transfer;

    /** Adds the options to a command. */
    RunInput(CommandSpec spec) {
        common = new CommonOptions(spec);
        Options.describe(spec, "--threads",
                "Run N commands at a time, 1 to 256, in each job. Default: one per processor.");
        entries = new EntryInput(spec, common, "handle");
        Options.describe(spec, "--dry-run", "Print the commands, quoted for a shell, and run none.");
        Options.describe(spec, "--batches",
                "Divide the files into M batches, which the jobs take one by one. Default: 4 per job, 1 for one job.");
        entries.meanHere("--batch-files");
        select = new SelectOptions(spec);
        conditions = new Conditions(spec);
        Options.add(spec,
                Options.operands(ByteString.class, () -> operands, value -> operands = value).hideParamSyntax(true),
                "SOURCE", "The files and trees, and after -- the command.");
        classes = new ClassOptions(spec, common);
        at = new AtOptions(spec, common);
        Options.add(spec, Options.value(Double.class, value -> timeout = value, "--timeout"), "SECONDS",
                "End a command that runs for SECONDS, with all processes of its group: by SIGTERM, and ten seconds later by SIGKILL.");
        Options.add(spec, Options.value(Integer.class, value -> retries = value, "--retries"), "N",
                "Run a command that fails up to N more times.");
        Options.add(spec, Options.flag(value -> isOnce = value, "--once"),
                "Never repeat a command whose end is unknown, because its node crashed for example; report it.");
        Options.add(spec, Options.value(ByteString.class, value -> outputs = value, "--output-dir"), "DIR",
                "Write the outputs of each command to files in DIR, NUMBER.NAME.out and NUMBER.NAME.err.");
        Options.add(spec, Options.flag(value -> isJoined = value, "--join"),
                "Print the outputs in the order of the files, not in that in which commands end.");
        Options.add(spec, Options.flag(value -> isTagged = value, "--tag"),
                "Begin each line of the outputs with the path and a tab.");
        Options.add(spec, Options.value(String.class, value -> transfer = value, "--outputs"), "ID",
                "Run nothing, and print the outputs of the transfer ID in the order of the files; last is the newest.");
        Options.add(spec, Options.value(String.class, value -> division = value, "--segments"), "SIZE",
                "Run COMMAND for each range of SIZE of a larger file, 1M or more; {offset}, {length} and {segment} are its place. With "
                        + "layout, files are divided where their data change the server.");
    }

    /** Lets this thread find the classes of the jars that the user names. */
    ClassOptions.Opened open() {
        return classes.open();
    }

    /** Returns whether the outputs of an earlier transfer are to be printed. */
    boolean printsOutputs() {
        return transfer != null;
    }

    /** Prints the outputs of an earlier transfer. */
    ExitCode printOutputs() {
        try (Session session = Session.beginWaiting(common)) {
            if (!operands.isEmpty() || classes.isGiven()) {
                throw common.usage("--outputs runs nothing; leave out the paths and the command");
            }
            TransferDirectory directory = entries.open(String.valueOf(transfer));
            if (!(directory.operation() instanceof Operation.Run run) || run.task().body().takesList()) {
                throw new TransferException(directory.id() + " has no outputs that belong to files");
            }
            if (!Plan.exists(directory.plan())) {
                throw new TransferException(directory.id() + " is not planned yet, so it has no outputs");
            }
            new TransferOutputs(session, isTagged).print(directory, run.task());
            Optional<String> problem = session.output().problem();
            problem.ifPresent(common.screen()::error);
            return problem.isPresent() ? ExitCode.TROUBLE : ExitCode.DONE;
        } catch (IOException e) {
            common.screen().error(StateDirectory.reason(e));
            return ExitCode.TROUBLE;
        }
    }

    /** Returns the work, and sets the sources. */
    RunTask task() {
        List<String> line = common.line();
        int separator = line.indexOf(SEPARATOR);
        int words = separator < 0 ? 0 : line.size() - separator - 1;
        if (classes.isGiven() && words > 0) {
            throw common.usage("--task cannot be combined with a command");
        }
        if (!classes.isGiven() && words == 0) {
            throw common.usage("no command is given; write it after --, such as treehaul run /data -- gzip {}");
        }
        List<ByteString> sources = operands.subList(0, operands.size() - words);
        if (at.isGiven()) {
            return atStage(sources, words);
        }
        entries.readsList(select.filesFrom);
        entries.use(sources.isEmpty() && select.filesFrom != null ? List.of(ByteString.of(".")) : sources);
        check();
        if (outputs == null) {
            entries.printElse();
        }
        return new RunTask(this, command(operands.subList(operands.size() - words, operands.size())));
    }

    // A stage as a whole is its top.
    private RunTask atStage(List<ByteString> sources, int words) {
        entries.use(sources.isEmpty() ? List.of(ByteString.of(".")) : sources);
        entries.meanHere("--space");
        check();
        if (outputs == null) {
            entries.printElse();
        }
        RunTask task = new RunTask(this, command(operands.subList(operands.size() - words, operands.size())));
        at.check(task.task(), where(), entries.isTransfer());
        return task;
    }

    private void check() {
        if (!(timeout >= 0 && timeout <= LONGEST_SECONDS)) {
            throw common.usage("--timeout must be 0 to 1,000,000,000 seconds, not " + timeout);
        }
        common.checkNotNegative("--retries", retries);
        if (outputs != null && !CopyRequests.isDirectory(outputs)) {
            throw common.usage("--output-dir " + outputs + " is not a directory; make it first");
        }
        if (outputs != null && (isJoined || isTagged)) {
            throw common.usage("--output-dir cannot be combined with " + (isJoined ? "--join" : "--tag"));
        }
        if (entries.isTransfer() && (isJoined || isTagged)) {
            checkJoined(isJoined ? "--join" : "--tag");
        }
        if (isOnce) {
            checkOnce();
        }
    }

    private Segmentation segments(TaskBody body) {
        if (division == null) {
            return Segmentation.NONE;
        }
        Segmentation segments;
        try {
            segments = division.equals(BY_LAYOUT)
                    ? Segmentation.BY_LAYOUT
                    : Segmentation.ofBytes(ByteSize.parse(division).bytes());
        } catch (IllegalArgumentException e) {
            throw common.usage("--segments: " + ExactArguments.printable(String.valueOf(e.getMessage())));
        }
        if (segments.isByLayout() && entries.isTransfer() && !entries.isByServers()) {
            throw common.usage("--segments layout cannot be combined with --locality off");
        }
        // Each segment would be handled as if it were the whole file.
        if (!body.takesSegment() && !body.takesList()) {
            throw common
                    .usage("--segments needs a place for the range in the command: {offset}, {length} or {segment}");
        }
        return segments;
    }

    private void checkJoined(String option) {
        if (entries.ranks.isProcess()) {
            throw common.usage(option + " cannot be combined with --meet; print the outputs by --outputs ID");
        }
        if (!entries.isToWait()) {
            throw common.usage(option + " needs --wait, because outputs are printed when the jobs have ended; or print "
                    + "them later by --outputs ID");
        }
        entries.noteId();
    }

    // Finishing, which processes directories, is repeated as a whole after a kill.
    private void checkOnce() {
        if (!entries.isTransfer()) {
            throw common.usage("--once needs --scheduler or --jobs: only their work is resumed");
        }
        if (conditions.where().fields().contains(FileField.KIND)) {
            throw common.usage("--once is for regular files; leave out the condition on kind");
        }
    }

    private CommandTask command(List<ByteString> words) {
        try {
            ByteString directory = CopyRequests.workingDirectory();
            TaskBody body = classes.isGiven() ? classes.task() : new CommandTemplate(words);
            if (body.takesList() && entries.isTransfer() && (isJoined || isTagged)) {
                throw common.usage((isJoined ? "--join" : "--tag") + " by jobs cannot be combined with {@}");
            }
            return new CommandTask(body, directory, Duration.ofMillis((long) Math.ceil(timeout * 1e3)), retries, isOnce,
                    Optional.ofNullable(outputs).map(path -> absolute(directory, path)), segments(body));
        } catch (IllegalArgumentException e) {
            throw common.usage(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ByteString absolute(ByteString directory, ByteString path) {
        return path.length() > 0 && path.at(0) == '/' ? path : directory.plus(ByteString.of("/")).plus(path);
    }

    /** Returns the conditions that a file must meet: without one on the kind, those of regular files. */
    FileQuery where() {
        FileQuery where = conditions.where();
        return where.fields().contains(FileField.KIND) ? where : where.with(FileField.KIND, NumberSet.of(REGULAR));
    }

    /** Returns the options of a stage. */
    AtOptions at() {
        return at;
    }

    List<Path> jars() {
        return classes.jars();
    }

    SelectOptions select() {
        return select;
    }

    boolean isJoined() {
        return isJoined;
    }

    boolean isTagged() {
        return isTagged;
    }
}
