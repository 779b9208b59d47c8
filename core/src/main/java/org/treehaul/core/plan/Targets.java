// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/**
 * Finds the directories that already exist at the target. It looks only inside existing directories, so that a copy to
 * a new place makes no calls for this. A target that cannot be examined counts as absent; the copy will report the
 * error. Thread-safe.
 */
final class Targets implements AutoCloseable {

    private final DirectoryPool pool;
    private final List<ByteString> paths;
    private final RoomNeeds needs;
    private final List<RoomNeeds.Need> rootNeeds = new ArrayList<>();
    private final ConcurrentLinkedQueue<FileStatus> roots = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Directory> opened = new ConcurrentLinkedQueue<>();

    Targets(FileSystemCalls calls, List<ByteString> paths, RoomNeeds needs) {
        this.pool = DirectoryPool.ofPathDescriptors(calls, DirectoryPool.LARGEST_BUDGET);
        this.paths = paths;
        this.needs = needs;
    }

    /**
     * Examines the targets of all roots, before the walk starts.
     *
     * @return for each root whether its target is a directory
     */
    List<Boolean> look(FileAccess access) {
        List<Boolean> found = new ArrayList<>();
        for (ByteString path : paths) {
            if (path.length() == 0) {
                rootNeeds.add(needs.none());
                found.add(false);
                continue;
            }
            try {
                int descriptor = open(path, access);
                FileStatus status;
                try {
                    status = access.status(descriptor);
                } finally {
                    access.closeQuietly(descriptor);
                }
                roots.add(status);
                rootNeeds.add(needs.of(status.device(), path));
                found.add(true);
            } catch (SystemCallException e) {
                rootNeeds.add(needAbove(path, access));
                found.add(false);
            }
        }
        return found;
    }

    // The copy will be on the file system of its parent directory.
    private RoomNeeds.Need needAbove(ByteString path, FileAccess access) {
        ByteString above = Tokens.parent(path);
        try {
            return needs.of(LongPath.status(access, above, true).device(), above);
        } catch (SystemCallException e) {
            return needs.unknown();
        }
    }

    /** Returns the counter of the file system that the copy of a root goes to. */
    RoomNeeds.Need need(int root) {
        return rootNeeds.get(root);
    }

    /** Returns the target of a root that is a directory. */
    PlannedTarget root(int root, FileAccess access) {
        try {
            Directory directory = pool.root(open(paths.get(root), access), paths.get(root));
            opened.add(directory);
            return new PlannedTarget(directory, OptionalInt.of(access.status(directory.descriptor()).permissions()),
                    need(root));
        } catch (SystemCallException e) {
            return PlannedTarget.none(need(root));
        }
    }

    // Like the copy: a symbolic link is followed only if the path ends in a slash.
    private static int open(ByteString path, FileAccess access) throws SystemCallException {
        return LongPath.open(access, path, O_DIRECTORY | O_NOFOLLOW | O_PATH);
    }

    /** Returns the target of a directory, given the target of its parent. */
    PlannedTarget child(int root, PlannedTarget above, TreePath path, FileAccess access) {
        if (above.directory() == null) {
            return PlannedTarget.none(above.need());
        }
        Directory directory = above.directory().child(path);
        try {
            FileStatus status = directory.open(access);
            directory.release();
            // The directory may be a mount point.
            RoomNeeds.Need need = above.need().isOf(status.device())
                    ? above.need()
                    : needs.of(status.device(), path.below(paths.get(root)));
            return new PlannedTarget(directory, OptionalInt.of(status.permissions()), need);
        } catch (SystemCallException e) {
            return PlannedTarget.none(above.need());
        }
    }

    /**
     * Returns whether a source directory is also the target of a root: a bind mount or a followed link may lead there.
     */
    boolean isTarget(FileStatus directory) {
        for (FileStatus root : roots) {
            if (root.isSameFile(directory)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        opened.forEach(pool::closeRoot);
        pool.close();
    }
}
