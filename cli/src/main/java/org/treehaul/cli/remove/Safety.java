// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.treehaul.cli.args.Abbreviations;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.ExactVariables;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.report.Question;
import org.treehaul.cli.report.Screen;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.remove.RemovalQuestion;
import org.treehaul.core.remove.RemoveOptions;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code rm} that prevent accidents: what may be removed, what is asked before, and how fast. */
final class Safety {

    private static final String HOME = "home";
    private static final String MOUNT = "mount";
    private static final String SYSTEM = "system";
    // As in GNU rm: with this many operands, -I asks.
    private static final int MANY = 4;

    private enum Asking {
        never,
        once,
        always
    }

    private final CommandSpec command;
    private final Set<String> allowed = new HashSet<>();
    private Asking asking = Asking.never;
    private boolean ignoresMissing;
    private long rate;
    private boolean detaches;

    /** Adds the options to a command. */
    Safety(CommandSpec command) {
        this.command = command;
        Options.add(command, Options.flag(value -> ask(Asking.always), "-i"),
                "Ask before each removal; an answer that begins with y means yes.");
        Options.add(command, Options.flag(value -> ask(Asking.once), "-I"),
                "Ask once before a removal with -r, or of more than three PATHs.");
        Options.add(command,
                Options.attached(Asking.class, "always", this::ask, "--interactive")
                        .converters(Abbreviations.of(Asking.class)),
                "WHEN", "Ask never, once (-I), or always (-i). Default: always.");
        Options.add(command, Options.value(String.class, this::allow, "--allow"), "LIST",
                "Accept a PATH that is refused otherwise: home (your home directory or one above it), system "
                        + "(such as /usr or /home), mount (a mount point).");
        Options.add(command,
                Options.value(Long.class,
                        value -> rate = UsageException.fromOne(command, "--rate", Long.MAX_VALUE, value), "--rate"),
                "N", "Remove at most N entries per second, so that the file system can serve others.");
        Options.add(command, Options.flag(value -> detaches = value, "--detach"),
                "Rename each PATH to a hidden name beside it at once, and remove it in the background, by a process or by "
                        + "jobs.");
    }

    /** Returns whether operands leave their names at once. */
    boolean detaches() {
        return detaches;
    }

    private void allow(String list) {
        try {
            for (String word : list.split(",", -1)) {
                allowed.add(Abbreviations.word("--allow", word, List.of(HOME, SYSTEM, MOUNT), List.of()));
            }
        } catch (IllegalArgumentException e) {
            throw new UsageException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    // As in GNU rm: a question cancels an earlier -f, also for paths that do not exist.
    private void ask(Asking when) {
        asking = when;
        ignoresMissing &= when == Asking.never;
    }

    /** Stops asking, and ignores paths that do not exist: {@code -f}, until a later option cancels it. */
    void force() {
        asking = Asking.never;
        ignoresMissing = true;
    }

    /** Returns whether paths that do not exist are ignored. */
    boolean ignoresMissing() {
        return ignoresMissing;
    }

    /** Returns whether each removal is asked about. */
    boolean asksAlways() {
        return asking == Asking.always;
    }

    /** Returns the options with those of this group. */
    RemoveOptions applyTo(RemoveOptions options) {
        return options.withKept(allowed.contains(HOME) ? List.of() : homes(System.getenv()))
                .withSystemDirectories(allowed.contains(SYSTEM))
                .withMountPoints(allowed.contains(MOUNT))
                .withRate(rate)
                .withThreads(asksAlways() ? 1 : options.threads());
    }

    // The variable may name another directory than the database of users, and both are homes.
    private static List<ByteString> homes(Map<String, String> environment) {
        List<ByteString> homes = new ArrayList<>();
        Stream.of(ByteString.of(ExactArguments.bytes(ExactVariables.get(environment, "HOME"))),
                ByteString.of(System.getProperty("user.home", "")))
                .filter(path -> path.length() > 0 && path.at(0) == '/')
                .distinct()
                .forEach(homes::add);
        return homes;
    }

    /** Asks once, if the options require it, and returns whether the removal may begin. */
    boolean mayBegin(Screen screen, List<ByteString> operands, boolean recursive) {
        if (asking != Asking.once || !recursive && operands.size() < MANY) {
            return true;
        }
        return new Question(screen).isYes("remove " + Text.count(operands.size(), "argument", "arguments")
                + (recursive ? " recursively? " : "? "));
    }

    /** Returns the question before each step. */
    static RemovalQuestion before(Question question) {
        return (step, path) -> question.isYes(switch (step) {
            case ENTER -> "descend into directory '";
            case REMOVE_DIRECTORY -> "remove directory '";
            case REMOVE_ENTRY -> "remove '";
        } + path + "'? ");
    }

    /** Rejects the options that a removal by jobs, or by ranks in separate processes, does not support. */
    void checkForTransfer() {
        if (rate > 0 || asksAlways()) {
            throw new UsageException(command.commandLine(),
                    rate > 0
                            ? "--rate cannot be combined with jobs or --meet; use fewer --jobs, or --max-running"
                            : "-i asks at a terminal, which jobs and ranks do not have; use -I");
        }
    }
}
