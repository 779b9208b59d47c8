// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.util.Arrays;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.DifferenceListener;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.repair.DifferingEntries;
import org.treehaul.core.repair.TreeRepair;
import org.treehaul.core.walk.options.Root;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The two uses that {@code treehaul cmp} makes of all differences: {@code -0} lists their paths, {@code --repair}
 * copies.
 */
final class DifferenceUse {

    private final CommonOptions common;
    private final SelectOptions select;
    private final DifferingEntries found = new DifferingEntries();
    private boolean isRepaired;

    /** Adds the option to a command. */
    DifferenceUse(CommandSpec command, CommonOptions common, SelectOptions select) {
        this.common = common;
        this.select = select;
        Options.add(command, Options.flag(value -> isRepaired = value, "--repair"),
                "Copy each entry that differs from A to B again, and compare it once more. Entries only in B stay.");
    }

    /** Checks the options. */
    void check(RankOptions ranks) {
        if (isRepaired && ranks.isProcess()) {
            throw common.usage("--repair does not work with --meet; run the repair in one process");
        }
        // The list has no names in directories that are listed too, and each rank knows only its own differences.
        if (isList() && ranks.isProcess()) {
            throw common.usage("-0 does not work with --meet; list the paths in one process");
        }
    }

    /** Returns whether paths are printed in place of differences. */
    boolean isList() {
        return select.nul && !common.json;
    }

    /** Returns the receiver of differences, which passes them on to another. */
    DifferenceListener collect(DifferenceListener next) {
        if (!isRepaired && !isList()) {
            return next;
        }
        return difference -> {
            found.onDifference(difference);
            next.onDifference(difference);
        };
    }

    /**
     * Prints the paths, each ended by NUL, if {@code -0} is given, with the further names of their files.
     *
     * @param root the first tree
     * @param options the options of the comparison
     */
    void list(Session session, FileSystemCalls calls, Root root, CompareOptions options) {
        if (!isList()) {
            return;
        }
        found.addFurtherNames(calls, root, options, session.cancellation());
        for (TreePath path : found.paths()) {
            byte[] bytes = path.toBytes();
            session.output().write(Arrays.copyOf(bytes, bytes.length + 1), bytes.length + 1);
        }
    }

    /**
     * Repairs the second tree, if {@code --repair} is given.
     *
     * @param code the exit code of the comparison
     * @param isQuiet whether no summary is printed
     * @return the exit code of the command
     */
    ExitCode repair(ExitCode code, FileSystemCalls calls, ByteString a, ByteString b, CompareOptions options,
            boolean isQuiet) {
        if (!isRepaired || code == ExitCode.INTERRUPTED || found.size() == 0) {
            return code;
        }
        try (Session session = Session.begin(common, false)) {
            DifferingEntries rest = new DifferingEntries();
            TreeRepair.Result result = TreeRepair.of(calls, a, b, options, found)
                    .run(rest, session, session.progress(), session.cancellation());
            return end(session, code, result, rest, isQuiet);
        }
    }

    private ExitCode end(Session session, ExitCode before, TreeRepair.Result result, DifferingEntries rest,
            boolean isQuiet) {
        CopyResult copied = result.copied();
        long done = Math.max(0, found.size() - rest.size());
        session.json().ifPresent(json -> summarize(json, done));
        boolean isComplete = copied.isComplete() && result.compared().isComplete();
        ExitCode code = session.end(copied.failures(), isComplete);
        if (!isQuiet && session.json().isEmpty()) {
            String others = found.onlyInSecond() == 0 ? "" : "; " + Text.count(found.onlyInSecond()) + " only in B";
            session.screen()
                    .note("repaired " + Text.count(done) + " of " + Text.count(found.size(), "entry", "entries")
                            + " in " + Text.tenths(session.nanos() / 1e9) + " s" + others);
        }
        if (code == ExitCode.INTERRUPTED) {
            return code;
        }
        if (code != ExitCode.DONE || before == ExitCode.TROUBLE || result.compared().hasTrouble()) {
            return ExitCode.TROUBLE;
        }
        return rest.size() + found.onlyInSecond() == 0 ? ExitCode.DONE : ExitCode.DIFFERENT;
    }

    private void summarize(JsonLines json, long done) {
        synchronized (json) {
            json.begin("repair")
                    .number("entries", found.size())
                    .number("repaired", done)
                    .number("only_in_b", found.onlyInSecond())
                    .end();
        }
    }
}
