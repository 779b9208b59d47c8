// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedPath;

/**
 * Removes entries of a stage: from the catalogue first, so that no client opens a file that is half removed. If this
 * process dies, some segments are left without an entry, which {@code treehaul stage check} finds.
 */
public final class StageRemove {

    // A transaction of the catalogue takes as long as removing the segments of some dozens of small files; the first groups
    // are smaller, so that several threads share a small tree.
    private static final int FIRST_AT_ONCE = 16;
    private static final int MOST_AT_ONCE = 256;

    private final Stage stage;
    private final int threads;
    private final Consumer<? super StagedFile> unsaved;

    /**
     * Creates the removal.
     *
     * @param threads the number of threads, 1 or more
     */
    public StageRemove(Stage stage, int threads) {
        this(stage, threads, entry -> {});
    }

    /**
     * Creates the removal.
     *
     * @param threads the number of threads, 1 or more
     * @param unsaved receives each file and symbolic link that was in the stage only, one after another, when it has
     *        left the catalogue
     */
    public StageRemove(Stage stage, int threads, Consumer<? super StagedFile> unsaved) {
        this.stage = stage;
        this.threads = threads;
        this.unsaved = unsaved;
    }

    /**
     * Removes the entry at a path and, if asked to, everything below it. Failures of servers are reported: the entry is
     * gone then, and {@code treehaul stage check} finds the segments.
     *
     * @param path the path; empty for everything in the stage
     * @throws StageException ENOENT if there is no such entry, EISDIR for a directory without {@code isRecursive}
     */
    public void run(ByteString path, boolean isRecursive, StageReports reports) throws StageException {
        ByteString from = StagedPath.of(path);
        if (!isRecursive) {
            boolean isFile = stage.catalogue()
                    .find(from)
                    .filter(entry -> entry.kind() != EntryKind.DIRECTORY)
                    .isPresent();
            if (!isFile) {
                throw new StageException(stage.catalogue().display(from), "remove",
                        isAnythingAt(from) ? Errno.EISDIR : Errno.ENOENT);
            }
        } else if (from.length() > 0 && !isAnythingAt(from)) {
            throw new StageException(stage.catalogue().display(from), "remove", Errno.ENOENT);
        }
        // The entries as of one moment, while they are removed; what is in a directory before it.
        inGroups(stage, stage.catalogue().below(from, true), threads, reports, this::tell,
                entry -> removeSegments(entry, from, reports));
        if (from.length() == 0 && !reports.isCancelled()) {
            // The mode and the time of the top.
            stage.catalogue().find(from).ifPresent(stage.catalogue()::remove);
        }
        if (isRecursive) {
            stage.catalogue().forgetImplied(from);
        }
    }

    /**
     * Removes entries in groups, until it is cancelled, and closes them. Each group leaves the catalogue in one
     * transaction, in the order of the entries, while other threads remove the segments of the groups before it. Files
     * that a program has renamed, or closed for the first time, since the entries were read stay.
     *
     * @param gone receives each group that has left the catalogue, one after another
     * @param removal removes the segments of an entry; called by several threads
     */
    static void inGroups(Stage stage, Stream<StagedFile> entries, int threads, StageReports reports,
            Consumer<List<StagedFile>> gone, Consumer<StagedFile> removal) throws StageException {
        try (Stream<StagedFile> all = entries) {
            Iterator<StagedFile> left = all.iterator();
            int[] atOnce = {FIRST_AT_ONCE};
            FileLoop.<List<StagedFile>>each(stage, () -> {
                List<StagedFile> group = new ArrayList<>();
                while (group.size() < atOnce[0] && !reports.isCancelled() && left.hasNext()) {
                    group.add(left.next());
                }
                if (group.isEmpty()) {
                    return null;
                }
                atOnce[0] = Math.min(MOST_AT_ONCE, 2 * atOnce[0]);
                List<StagedFile> removed = stage.catalogue().removeUnmoved(group);
                gone.accept(removed);
                return removed;
            }, threads, group -> group.forEach(removal));
        }
    }

    private void tell(List<StagedFile> gone) {
        gone.stream().filter(entry -> !entry.isSaved() && entry.kind() != EntryKind.DIRECTORY).forEach(unsaved);
    }

    private boolean isAnythingAt(ByteString path) {
        return stage.catalogue().isAnythingAt(path);
    }

    private void removeSegments(StagedFile entry, ByteString from, StageReports reports) {
        try {
            stage.removeSegments(entry);
            reports.progress().bytesDone(entry.size());
            reports.progress().entryDone(entry.kind());
        } catch (StageException e) {
            TreePath path = StageOut.below(entry.path(), from);
            reports.failed(path, e);
        }
    }
}
