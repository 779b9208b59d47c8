// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import org.treehaul.cli.attributes.ChgrpCommand;
import org.treehaul.cli.attributes.ChmodCommand;
import org.treehaul.cli.attributes.ChownCommand;
import org.treehaul.cli.attributes.ModeArguments;
import org.treehaul.cli.bench.BenchCommand;
import org.treehaul.cli.copy.CpCommand;
import org.treehaul.cli.copy.CpOptions;
import org.treehaul.cli.copy.PlanCommand;
import org.treehaul.cli.copy.PlannerCommand;
import org.treehaul.cli.copy.ResumeCommand;
import org.treehaul.cli.copy.ShowCommand;
import org.treehaul.cli.copy.VerifyCommand;
import org.treehaul.cli.find.FindCommand;
import org.treehaul.cli.move.MvCommand;
import org.treehaul.cli.page.ReportCommand;
import org.treehaul.cli.remove.RmCommand;
import org.treehaul.cli.run.RunCommand;
import org.treehaul.cli.serve.ServeCommand;
import org.treehaul.cli.space.IndexCommand;
import org.treehaul.cli.space.MembersCommand;
import org.treehaul.cli.space.PublishCommand;
import org.treehaul.cli.space.QueryCommand;
import org.treehaul.cli.space.SpaceCommand;
import org.treehaul.cli.space.WatchCommand;
import org.treehaul.cli.stage.StageCommand;
import org.treehaul.cli.sync.SyncCommand;
import org.treehaul.cli.transfer.CancelCommand;
import org.treehaul.cli.transfer.ErrorsCommand;
import org.treehaul.cli.transfer.FinishCommand;
import org.treehaul.cli.transfer.ForgetCommand;
import org.treehaul.cli.transfer.LimitCommand;
import org.treehaul.cli.transfer.StatusCommand;
import org.treehaul.cli.transfer.WorkerCommand;
import org.treehaul.cli.tree.CmpCommand;
import org.treehaul.cli.tree.ManifestCommand;
import org.treehaul.cli.tree.SimulateCommand;
import org.treehaul.cli.tree.WalkCommand;
import org.treehaul.cli.usage.DuCommand;
import picocli.CommandLine.Model.CommandSpec;

/**
 * All commands, in the order of the help. Only {@link #make} loads the class of a command, because loading all would
 * take longer than a small copy; a switch needs fewer classes than a lambda for each.
 */
enum CommandEntry {
    CP,
    MV,
    SYNC,
    RM,
    CHMOD,
    CHOWN,
    CHGRP,
    RUN,
    CMP,
    MANIFEST,
    PLAN,
    SHOW,
    STATUS,
    RESUME(true),
    CANCEL,
    LIMIT,
    VERIFY(true),
    ERRORS,
    REPORT,
    FORGET,
    WORKER(true),
    STAGE,
    SERVE,
    FIND,
    WALK,
    DU,
    INDEX,
    QUERY,
    WATCH,
    PUBLISH,
    SPACE,
    MEMBERS,
    SIMULATE,
    BENCH,
    CONFIG,
    COMPLETION,
    HELP,
    MAN,
    PLANNER(true),
    FINISH(true);

    private final boolean isContinuation;

    CommandEntry() {
        this(false);
    }

    CommandEntry(boolean isContinuation) {
        this.isContinuation = isContinuation;
    }

    /** Returns the command with a name. */
    static Optional<CommandEntry> named(String name) {
        return Arrays.stream(values()).filter(entry -> entry.title().equals(name)).findFirst();
    }

    /** Returns the name that users type. */
    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the heading above this command in the help; empty if it is in the group of the command before it. */
    String heading() {
        return switch (this) {
            case CP -> "Copy, move, remove and compare:";
            case PLAN -> "Plans, and transfers by jobs:";
            case STAGE -> "Parallel files:";
            case FIND -> "List and query:";
            case CONFIG -> "Settings and help:";
            default -> "";
        };
    }

    /** Returns whether the options of the command were given when a transfer began, so settings must not add any. */
    boolean isContinuation() {
        return isContinuation;
    }

    /** Returns whether the command itself runs the command of {@code --on-complete}, if it has no jobs to do so. */
    boolean mayComplete() {
        return switch (this) {
            case CP, SYNC, MV, RM, CHMOD, CHOWN, CHGRP, RUN, CMP, WALK, INDEX -> true;
            default -> false;
        };
    }

    /** Returns whether jobs of the command need a complete plan, so that no strategy may stream. */
    boolean plansToTheEnd() {
        return switch (this) {
            case RM, CHMOD, CHOWN, CHGRP, RUN -> true;
            default -> false;
        };
    }

    /** Returns the options of the GNU command of this name: an abbreviation that is unique among them is accepted. */
    Set<String> optionsOfGnu() {
        return switch (this) {
            case CP -> CpOptions.OF_GNU_CP;
            case MV -> MvCommand.OF_GNU_MV;
            case RM -> RmCommand.OF_GNU_RM;
            case DU -> DuCommand.OF_GNU_DU;
            case CHMOD -> ChmodCommand.OF_GNU_CHMOD;
            case CHOWN -> ChownCommand.OF_GNU_CHOWN;
            case CHGRP -> ChgrpCommand.OF_GNU_CHGRP;
            default -> Set.of();
        };
    }

    /** Returns the arguments in a form in which none that is not an option looks like one. */
    String[] read(CommandSpec spec, String[] args) {
        return this == CHMOD ? ModeArguments.asOptions(spec, args) : args;
    }

    /** Returns a new model of the command. */
    CommandSpec make() {
        return switch (this) {
            case CP -> new CpCommand().spec;
            case MV -> new MvCommand().spec;
            case SYNC -> new SyncCommand().spec;
            case RM -> new RmCommand().spec;
            case CHMOD -> new ChmodCommand().spec;
            case CHOWN -> new ChownCommand().spec;
            case CHGRP -> new ChgrpCommand().spec;
            case RUN -> new RunCommand().spec;
            case CMP -> new CmpCommand().spec;
            case MANIFEST -> new ManifestCommand().spec;
            case PLAN -> new PlanCommand().spec;
            case SHOW -> new ShowCommand().spec;
            case STATUS -> new StatusCommand().spec;
            case RESUME -> new ResumeCommand().spec;
            case CANCEL -> new CancelCommand().spec;
            case LIMIT -> new LimitCommand().spec;
            case VERIFY -> new VerifyCommand().spec;
            case ERRORS -> new ErrorsCommand().spec;
            case REPORT -> new ReportCommand().spec;
            case FORGET -> new ForgetCommand().spec;
            case STAGE -> new StageCommand().spec;
            case FIND -> new FindCommand().spec;
            case WALK -> new WalkCommand().spec;
            case DU -> new DuCommand().spec;
            case INDEX -> new IndexCommand().spec;
            case QUERY -> new QueryCommand().spec;
            case WATCH -> new WatchCommand().spec;
            case PUBLISH -> new PublishCommand().spec;
            case SPACE -> new SpaceCommand().spec;
            case MEMBERS -> new MembersCommand().spec;
            case SIMULATE -> new SimulateCommand().spec;
            case BENCH -> new BenchCommand().spec;
            case CONFIG -> new ConfigCommand(CommandLines::all).spec;
            case COMPLETION -> new CompletionCommand(CommandLines::all).spec;
            case HELP -> new HelpCommand(CommandLines::all).spec;
            case MAN -> new ManCommand(CommandLines::all).spec;
            case PLANNER -> new PlannerCommand().spec;
            case WORKER -> new WorkerCommand().spec;
            case SERVE -> new ServeCommand().spec;
            case FINISH -> new FinishCommand().spec;
        };
    }
}
