// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.util.List;
import java.util.Set;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RemotePaths;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.find.EntryLines;
import org.treehaul.cli.staged.StageOptions;
import org.treehaul.cli.staged.StagedPaths;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.summary.TreeSummary;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.files.StageWalk;
import org.treehaul.tuplespace.store.SpaceException;

/** Lists or summarises trees of stages. */
public final class StagedOutput {

    private static final Set<String> TAKEN = Set.of("--print", "--summary", "--null", "--where", "--exclude",
            "--include", "--exclude-from", "--no-dereference");

    private final CommonOptions common;
    private final StageOptions stages;

    StagedOutput(CommonOptions common, StageOptions stages) {
        this.common = common;
        this.stages = stages;
    }

    /** Returns whether an option is taken with a stage, by its long name with the dashes. */
    public static boolean takes(String option) {
        return StageOptions.isTaken(option, TAKEN);
    }

    /** Walks the roots, all of which are in stages. */
    ExitCode print(List<ByteString> roots, WalkOptions options, WalkOutput.Form form) {
        if (!roots.stream().allMatch(RemotePaths::isStaged)) {
            throw common.usage("trees of stages and of directories cannot be walked together; do one after the other");
        }
        try (StagedPaths paths = stages.paths(TAKEN); Session session = Session.begin(common, form.lists())) {
            try {
                return walk(session, paths, roots, options, form);
            } catch (StageException e) {
                session.screen().error(String.valueOf(e.getMessage()));
            } catch (SpaceException e) {
                session.screen().error(paths.explain(e));
            }
            session.end(session.problems().counts(), false);
            return ExitCode.TROUBLE;
        }
    }

    private static ExitCode walk(Session session, StagedPaths paths, List<ByteString> roots, WalkOptions options,
            WalkOutput.Form form) throws StageException {
        TreeSummary.Counter counter = new TreeSummary.Counter();
        EntryLines lines = EntryLines.of(session, form.endsWithNul());
        boolean isComplete = true;
        for (ByteString root : roots) {
            StageWalk walk = paths.walk(root, options.filter(), options.where(), entry -> {
                ByteString path = entry.path().below(root);
                if (form.lists()) {
                    lines.write(entry, path);
                } else {
                    counter.count(path, entry.depth(), entry.status());
                }
                session.progress().entryDone(entry.kind());
                return session.isWanted();
            });
            try {
                isComplete = isComplete && walk.run();
            } catch (SystemCallException e) {
                session.progress().entryFailed();
                session.onEvent(new Event.Failed(EntryFailure.of(root, TreePath.root(), e)));
            }
        }
        lines.flush();
        if (form.lists()) {
            session.summarize(session.progress().snapshot(), isComplete);
        } else {
            TreeSummary sum = counter.sum(session.problems().counts(), isComplete);
            SummaryReport report = new SummaryReport(sum);
            session.json()
                    .ifPresentOrElse(json -> report.json(json, session.nanos()),
                            () -> report.textIfAny(session.output()));
        }
        return session.end(session.problems().counts(), isComplete).ifAny(session.progress().snapshot().entries());
    }
}
