// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.treehaul.core.copy.batch.TransferFinisher;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;

/**
 * Makes the directories that could not be opened during planning, as cp(1) does: empty and without their times. Their
 * failures were reported during planning. Used by one thread.
 *
 * @param options the options of the transfer
 */
record UnreadDirectories(FileSystemCalls calls, Plan plan, CopyOptions options, TransferFinisher finisher) {

    // So many paths are selected at once, at about 100 bytes for each name.
    private static final int PORTION = 10_000;

    // With these errors the name is no longer that of a directory.
    private static final Set<Integer> NO_DIRECTORY = Set.of(-Errno.ENOENT, -Errno.ENOTDIR, -Errno.ELOOP);

    /** Makes them, and returns whether it completed. */
    boolean make(Cancellation stop) throws IOException {
        Map<Integer, SelectedPaths> selections = new TreeMap<>();
        int selected = 0;
        try (PlanRecords<PlannedFailure> planned = plan.failures(); FileAccess access = FileAccess.open(calls)) {
            for (PlannedFailure failure = planned.next(); failure != null; failure = planned.next()) {
                if (isUnread(access, failure)) {
                    select(selections.computeIfAbsent(failure.root(), root -> SelectedPaths.strict()), failure);
                    selected++;
                }
                if (selected >= PORTION) {
                    if (!make(selections, stop)) {
                        return false;
                    }
                    selections.clear();
                    selected = 0;
                }
            }
        }
        return selections.isEmpty() || make(selections, stop);
    }

    // One that can be opened now is left to resume, which copies its content too.
    private boolean isUnread(FileAccess access, PlannedFailure failure) {
        PlannedRoot root = plan.header().roots().get(failure.root());
        try (LongPath place = LongPath.of(access, failure.failure().path().below(root.source()))) {
            int opened = access.tryOpen(place.base(), access.name(place.rest()), O_RDONLY | O_DIRECTORY | O_NONBLOCK,
                    0);
            if (opened >= 0) {
                access.closeQuietly(opened);
            }
            return opened < 0 && !NO_DIRECTORY.contains(opened);
        } catch (SystemCallException e) {
            return false;
        }
    }

    private void select(SelectedPaths selection, PlannedFailure failure) {
        TreePath path = failure.failure().path();
        selection.addDirectory(path);
        plan.followed()
                .stream()
                .filter(link -> link.root() == failure.root() && path.startsWith(link.path()))
                .forEach(link -> selection.follow(link.path()));
    }

    private boolean make(Map<Integer, SelectedPaths> selections, Cancellation stop) {
        if (stop.isCancelled()) {
            return false;
        }
        List<CopyPair> pairs = new ArrayList<>();
        selections.forEach((number, selection) -> {
            PlannedRoot root = plan.header().roots().get(number);
            ByteString given = CopySettings.given(plan.header().settings(), number, root.source());
            pairs.add(new CopyPair(Root.of(root.source(), selection).named(given), root.target()));
        });
        EntryFilter filter = CopySettings.filter(plan.header().settings()).orElse(EntryFilter.none());
        return finisher.copyTrees(pairs, options.toBuilder().filter(filter).build(), event -> {
            // The failures were reported.
        }, new Progress(), stop).isComplete();
    }
}
