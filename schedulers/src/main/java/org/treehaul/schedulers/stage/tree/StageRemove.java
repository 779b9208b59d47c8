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

/** Removes entries of a stage: from the catalogue first, so that no client opens a file that is half removed. */
public final class StageRemove {

    private static final int AT_ONCE = 256;

    private final Stage stage;
    private final Consumer<? super StagedFile> unsaved;

    /** Creates the removal. */
    public StageRemove(Stage stage) {
        this(stage, entry -> {});
    }

    /**
     * Creates the removal.
     *
     * @param unsaved receives each file and symbolic link that was in the stage only, after it was removed
     */
    public StageRemove(Stage stage, Consumer<? super StagedFile> unsaved) {
        this.stage = stage;
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
        List<StagedFile> some = new ArrayList<>();
        // The entries as of one moment, while they are removed.
        try (Stream<StagedFile> all = stage.catalogue().below(from, true)) {
            Iterator<StagedFile> entries = all.iterator();
            while (entries.hasNext() && !reports.isCancelled()) {
                some.add(entries.next());
                if (some.size() == AT_ONCE) {
                    remove(some, from, reports);
                }
            }
        }
        remove(some, from, reports);
        if (from.length() == 0 && !reports.isCancelled()) {
            // The mode and the time of the top.
            stage.catalogue().find(from).ifPresent(stage.catalogue()::remove);
        }
        if (isRecursive) {
            stage.catalogue().forgetImplied(from);
        }
    }

    private void remove(List<StagedFile> some, ByteString from, StageReports reports) {
        stage.catalogue().forget(some.stream().map(StagedFile::id).toList());
        some.forEach(entry -> removeSegments(entry, from, reports));
        some.stream().filter(entry -> !entry.isSaved() && entry.kind() != EntryKind.DIRECTORY).forEach(unsaved);
        some.clear();
    }

    private boolean isAnythingAt(ByteString path) {
        return stage.catalogue().isAnythingAt(path);
    }

    private void removeSegments(StagedFile entry, ByteString from, StageReports reports) {
        try {
            stage.removeSegments(entry);
            reports.progress().entryDone(entry.kind());
        } catch (StageException e) {
            TreePath path = StageOut.below(entry.path(), from);
            reports.failed(path, e);
        }
    }
}
