// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.staged.StageOptions;
import org.treehaul.cli.staged.StagedPaths;
import org.treehaul.cli.staged.StagedTrees;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.tuplespace.store.SpaceException;

/** Compares two trees of which one at least is in a stage. */
public final class StagedComparison {

    private static final Set<String> TAKEN = Set.of("--content", "--ignore", "--compare", "--modify-window", "-H",
            "--exclude", "--include", "--exclude-from", "--quiet");
    private static final Set<DifferenceKind> UNKNOWN = EnumSet.of(DifferenceKind.ATIME, DifferenceKind.CTIME,
            DifferenceKind.BTIME);

    private final CommonOptions common;
    private final StageOptions stages;

    StagedComparison(CommonOptions common, StageOptions stages) {
        this.common = common;
        this.stages = stages;
    }

    /** Returns whether an option is taken with a stage, by its long name with the dashes. */
    public static boolean takes(String option) {
        return StageOptions.isTaken(option, TAKEN);
    }

    ExitCode run(ByteString a, ByteString b, CompareOptions options, boolean isQuiet) {
        for (DifferenceKind kind : UNKNOWN) {
            if (options.compares(kind)) {
                throw common.usage(
                        "--compare=" + kind.label() + " cannot be combined with a stage, which does not " + "keep it");
            }
        }
        try (StagedPaths paths = stages.paths(TAKEN); Session session = Session.begin(common, !isQuiet)) {
            DifferenceReport report = new DifferenceReport(session, isQuiet, a, b);
            try (StagedTrees trees = new StagedTrees(paths, session)) {
                return report
                        .end(trees.compare(a, b, options, report::print, session.progress(), session.cancellation()));
            } catch (SystemCallException e) {
                session.onEvent(new Event.Failed(EntryFailure.of(a, TreePath.root(), e)));
            } catch (IOException e) {
                session.screen().error(String.valueOf(e.getMessage()));
            } catch (SpaceException e) {
                session.screen().error(paths.explain(e));
            }
            session.end(session.problems().counts(), false);
            return ExitCode.TROUBLE;
        }
    }
}
