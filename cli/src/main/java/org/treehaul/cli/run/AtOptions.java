// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Texts;
import org.treehaul.cli.staged.StageAccess;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.places.PlacesAddress;
import org.treehaul.core.task.CommandTask;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.common.Programs;
import org.treehaul.schedulers.common.net.PbsNodes;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.StagedPath;
import org.treehaul.schedulers.stage.node.StagePlacesProvider;
import org.treehaul.schedulers.tasks.Launcher;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** The options by which commands run at the files of a stage, on the nodes that have them. */
final class AtOptions {

    private static final List<String> REFUSED = List.of("--jobs", "--ranks", "--meet", "--include", "--exclude",
            "--exclude-from", "--files-from", "-0", "-x");
    private static final List<String> NEED_JOBS = List.of("--publish", "--once", "--batch-files");
    private static final Set<FileField> KNOWN = Set.of(FileField.PATH, FileField.DIRECTORY, FileField.NAME,
            FileField.EXTENSION, FileField.DEPTH, FileField.KIND, FileField.SIZE, FileField.EMPTY, FileField.MTIME,
            FileField.AGE, FileField.NEWER_THAN, FileField.MODE, FileField.OWNER, FileField.GROUP);
    // Within a job of Slurm.
    private static final String SRUN = "srun --quiet --overlap --nodes=1 --ntasks=1 --nodelist={host}";

    // Within a job of OpenPBS.
    private static final String TMRSH = PbsNodes.TMRSH + " {host}";

    private static final String LOCAL = "local";
    private static final String POOL = "pool";

    private final CommonOptions common;
    private @Nullable String stage;
    private @Nullable String launch;
    private @Nullable String node;
    private final StageAccess access;

    /** Adds the options to a command. */
    AtOptions(CommandSpec spec, CommonOptions common) {
        this.common = common;
        Options.add(spec, Options.value(String.class, value -> stage = value, "--at"), "NAME",
                "Run COMMAND for the files of the stage NAME (see 'treehaul stage'), each on the node that has its data. SOURCE is a path in the stage.");
        Options.add(spec, Options.value(String.class, this::launch, "--launch"), "WORDS",
                "With --at: start the work on a node by WORDS, such as 'ssh {host}'. Default: srun in a job of Slurm, pbs_tmrsh in one of OpenPBS.");
        Options.add(spec, Options.value(String.class, value -> node = value, "--node"), "HOST",
                "With --at: handle only the files of the node HOST, which this is.");
        access = new StageAccess(spec, common).addServers("With --at: ");
    }

    private void launch(String words) {
        if (!Texts.isText(words)) {
            throw common.usage("--launch must be UTF-8, not '" + ExactArguments.printable(words) + "'");
        }
        launch = Texts.decode(words);
    }

    /** Returns whether the files are those of a stage. */
    boolean isGiven() {
        if (stage == null) {
            for (String option : List.of("--launch", "--node", "--secret-file", "--tls")) {
                if (common.isGiven(option)) {
                    throw common.usage(option + " needs --at");
                }
            }
        }
        return stage != null;
    }

    /** Checks what the option types cannot express. */
    void check(CommandTask task, FileQuery where, boolean isTransfer) {
        if (!Catalogue.isName(name())) {
            throw common.usage("--at needs the name of a stage: letters, digits, dots, hyphens and underscores");
        }
        for (String option : REFUSED) {
            if (common.isGiven(option)) {
                throw common.usage("--at cannot be combined with " + option
                        + (option.startsWith("--ex") || option.startsWith("--in") ? "; use --where" : ""));
            }
        }
        if (task.body().takesList()) {
            throw common.usage("--at cannot be combined with {@}: each file gets its path when its command begins");
        }
        if (task.segments().bytes() != 0) {
            throw common.usage("--at needs --segments layout: the segments of a file are those of the stage");
        }
        for (String option : isTransfer ? List.of("--node") : NEED_JOBS) {
            if (common.isGiven(option)) {
                throw common.usage("--at cannot be combined with " + option
                        + (isTransfer ? " by jobs" : " unless --scheduler is given"));
            }
        }
        for (FileField field : where.fields()) {
            if (!KNOWN.contains(field)) {
                throw common.usage("--where: the files of a stage have no " + field.label());
            }
        }
    }

    String name() {
        return String.valueOf(stage);
    }

    /** Returns the paths of the stage, which the operands are. */
    List<ByteString> paths(List<ByteString> operands) {
        try {
            return operands.isEmpty() ? List.of(ByteString.empty()) : operands.stream().map(StagedPath::of).toList();
        } catch (IllegalArgumentException e) {
            throw common.usage(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the access to the stage. */
    StageAccess access() {
        return access;
    }

    Optional<String> node() {
        return Optional.ofNullable(node);
    }

    /** Returns what starts the work on other nodes; empty if nothing does. */
    Optional<Launcher> launcher() {
        Optional<String> words = words();
        if (words.isEmpty()) {
            return Optional.empty();
        }
        List<String> all = List.of(words.get().strip().split(" +", -1));
        if (all.getFirst().isEmpty()) {
            throw common.usage("--launch needs a program, such as 'ssh {host}'");
        }
        List<String> apart = Stream.concat(NodeLaunch.APART.stream(), all.stream()).toList();
        return Optional
                .of(Programs.isRemoteShell(all.getFirst()) ? Launcher.shellPrefix(apart) : Launcher.prefix(apart));
    }

    /** Returns whether what starts the work on other nodes passes it a standard input. */
    boolean passesInput() {
        return words().filter(words -> PbsNodes.areStartedBy(words.strip().split(" ", 2)[0])).isEmpty();
    }

    private Optional<String> words() {
        Map<String, String> environment = System.getenv();
        if (launch != null) {
            return Optional.of(launch);
        } else if (environment.containsKey("SLURM_JOB_ID")) {
            return Optional.of(SRUN);
        }
        boolean isPbs = environment.containsKey(PbsNodes.FILE)
                && new Programs(environment).find(PbsNodes.TMRSH).isPresent();
        return isPbs ? Optional.of(TMRSH) : Optional.empty();
    }

    /** Returns the options of jobs, with the words that start one on another node. */
    JobOptions jobs(JobOptions jobs) {
        if (jobs.scheduler().startsWith(POOL)) {
            throw common.usage("--at cannot be combined with --scheduler pool, whose jobs are not bound to the nodes "
                    + "that have the data; use local, slurm or pbs");
        }
        if (!jobs.scheduler().equals(LOCAL)) {
            if (launch != null) {
                throw common.usage("--launch is for --scheduler local: other schedulers start jobs on all nodes");
            }
            return jobs;
        }
        return words().map(words -> jobs.withQueue(List.of(words))).orElse(jobs);
    }

    /** Returns the address of the files, which the jobs of a transfer use. */
    PlacesAddress address() {
        SpaceUri space = access.space();
        if (!space.toString().equals(space.withoutPassword())) {
            throw common.usage("--space must not contain a password here: it is kept with the transfer; use ~/.pgpass");
        }
        return StagePlacesProvider.address(name(),
                space.scheme().equals(SpaceUri.SQLITE) ? SpaceUri.of(Path.of(space.address()).toAbsolutePath()) : space,
                access.secret().map(file -> ByteString.of(file.toPath().toAbsolutePath())), access.isEncrypted());
    }

    /** Returns the roots of a transfer: the paths in the stage. */
    List<Root> roots(List<ByteString> operands) {
        ByteString top = ByteString.of("stage:" + name());
        return paths(operands).stream()
                .map(path -> Root.of(path.length() == 0 ? top : top.plus(ByteString.of("/")).plus(path)))
                .toList();
    }
}
