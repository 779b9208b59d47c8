// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.staged.StageAccess;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.task.CommandTask;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.StagedPath;
import org.treehaul.schedulers.tasks.Launcher;
import picocli.CommandLine.Model.CommandSpec;

/** The options by which commands run at the files of a stage, on the nodes that have them. */
final class AtOptions {

    private static final List<String> REFUSED = List.of("--scheduler", "--jobs", "--ranks", "--meet", "--publish",
            "--once", "--batch-files", "--include", "--exclude", "--exclude-from", "--files-from", "-0", "-x");
    private static final Set<FileField> KNOWN = Set.of(FileField.PATH, FileField.DIRECTORY, FileField.NAME,
            FileField.EXTENSION, FileField.DEPTH, FileField.KIND, FileField.SIZE, FileField.EMPTY, FileField.MTIME,
            FileField.AGE, FileField.NEWER_THAN, FileField.MODE, FileField.OWNER, FileField.GROUP);
    // Within a job of Slurm.
    private static final String SRUN = "srun --quiet --overlap --nodes=1 --ntasks=1 --nodelist={host}";

    private final CommandSpec spec;
    private final CommonOptions common;
    private @Nullable String stage;
    private @Nullable String launch;
    private @Nullable String node;
    private final StageAccess access;

    /** Adds the options to a command. */
    AtOptions(CommandSpec spec, CommonOptions common) {
        this.spec = spec;
        this.common = common;
        Options.add(spec, Options.value(String.class, value -> stage = value, "--at"), "NAME",
                "Run COMMAND for the files of the stage NAME (see 'treehaul stage'), each on the node that has its data. SOURCE is a path in the stage.");
        Options.add(spec, Options.value(String.class, value -> launch = value, "--launch"), "WORDS",
                "With --at: start the work on a node by WORDS, such as 'ssh {host}'. Default: srun in a job of Slurm.");
        Options.add(spec, Options.value(String.class, value -> node = value, "--node"), "HOST",
                "With --at: handle only the files of the node HOST, which this is.");
        access = new StageAccess(spec, common).addServers("With --at: ");
    }

    /** Returns whether the files are those of a stage. */
    boolean isGiven() {
        if (stage == null) {
            for (String option : List.of("--launch", "--node", "--secret-file", "--tls")) {
                if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                    throw common.usage(option + " needs --at");
                }
            }
        }
        return stage != null;
    }

    /** Checks what the option types cannot express. */
    void check(CommandTask task, FileQuery where) {
        if (!Catalogue.isName(name())) {
            throw common.usage("--at needs the name of a stage: letters, digits, dots, hyphens and underscores");
        }
        for (String option : REFUSED) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
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
        String words = launch == null && System.getenv("SLURM_JOB_ID") != null ? SRUN : launch;
        if (words == null) {
            return Optional.empty();
        }
        List<String> all = new ArrayList<>(List.of(words.strip().split(" +", -1)));
        if (all.getFirst().isEmpty()) {
            throw common.usage("--launch needs a program, such as 'ssh {host}'");
        }
        String program = all.getFirst();
        boolean isForShell = program.substring(program.lastIndexOf('/') + 1).matches("[rs]sh");
        return Optional.of(isForShell ? Launcher.shellPrefix(all) : Launcher.prefix(all));
    }
}
