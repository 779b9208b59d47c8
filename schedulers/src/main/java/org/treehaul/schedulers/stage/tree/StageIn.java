// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.schedulers.stage.LocalSegments;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedPath;

/**
 * Copies a tree into a stage. Files whose size and time of change are those of the entry in the stage are left out, so
 * that repeating a run that was killed continues it. Keeps kind, data, mode, owner, time of change and targets of
 * symbolic links; a stripe without data stays a hole.
 */
public final class StageIn {

    private final FileSystemCalls calls;
    private final Stage stage;
    private final StageInOptions options;

    public StageIn(FileSystemCalls calls, Stage stage, StageInOptions options) {
        this.calls = calls;
        this.stage = stage;
        this.options = options;
    }

    /**
     * Copies the tree at a root to a path of the stage: the root itself gets that path.
     *
     * @param target the path, empty for the top of the stage, which only a directory can become
     * @return whether the run came to its end; each failure was reported
     * @throws StageException ENOTDIR if a file is above the path; nothing is copied then
     */
    public boolean run(Root root, ByteString target, StageReports reports) throws StageException {
        ByteString path = StagedPath.of(target);
        checkWay(path);
        removeUnfinished(path, reports);
        boolean mayHaveEntries = stage.catalogue().isAnythingAt(path);
        Placement placement = new Placement(options.servers());
        StripeCopy stripes = new StripeCopy(calls, options.threads());
        WalkOptions walk = WalkOptions.defaults().withThreads(options.threads());
        Set<StageInHandler.DirectoryId> own = ownDirectories();
        WalkResult<StageInHandler> result = TreeWalker.of(calls, walk)
                .<Boolean, StageInHandler>walkWith(List.of(root), worker -> new StageInHandler(stage, options, path,
                        placement, stripes, mayHaveEntries, own, reports), reports.cancellation(), reports.progress());
        result.workers().forEach(StageInHandler::end);
        return result.isComplete() && !reports.isCancelled();
    }

    // Otherwise all files would be copied before they are refused.
    private void checkWay(ByteString path) throws StageException {
        for (ByteString way : StagedPath.above(path)) {
            EntryKind kind = stage.catalogue().find(way).map(StagedFile::kind).orElse(EntryKind.DIRECTORY);
            if (kind != EntryKind.DIRECTORY) {
                throw new StageException(stage.catalogue().display(way), "stage in below it", Errno.ENOTDIR);
            }
        }
    }

    private Set<StageInHandler.DirectoryId> ownDirectories() {
        Set<StageInHandler.DirectoryId> own = new HashSet<>();
        try (FileAccess access = FileAccess.open(calls)) {
            stage.catalogue().servers().forEach(server -> addDirectory(server, access, own));
        }
        return own;
    }

    private void addDirectory(StageServer server, FileAccess access, Set<StageInHandler.DirectoryId> own) {
        try (LocalSegments _ = LocalSegments.open(calls, server)) {
            FileStatus status = access.status(AT_FDCWD, access.name(server.directory().toBytes()));
            own.add(new StageInHandler.DirectoryId(status.device(), status.inode()));
        } catch (StageException | SystemCallException elsewhere) {
            // This host does not have it, or it cannot be used: the walk does not find it.
            return;
        }
    }

    // A run that was killed has left them.
    private void removeUnfinished(ByteString path, StageReports reports) throws StageException {
        Queue<StageException> failures = new ConcurrentLinkedQueue<>();
        StageRemove.inGroups(stage, stage.catalogue().intents(path), options.threads(), reports, gone -> {}, left -> {
            try {
                stage.removeSegments(left);
            } catch (StageException e) {
                failures.add(e);
            }
        });
        if (!failures.isEmpty()) {
            throw failures.element();
        }
    }
}
