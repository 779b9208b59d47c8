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
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/**
 * Looks which directories the target has already: only where the one above is there, so that a copy to a new place asks
 * nothing. What cannot be looked at counts as absent; who copies meets it again. Safe for any number of threads.
 */
final class Targets implements AutoCloseable {

    private final DirectoryPool pool;
    private final List<ByteString> paths;
    private final RoomNeeds needs;
    private final List<RoomNeeds.Need> rootNeeds = new ArrayList<>();
    private final ConcurrentLinkedQueue<FileStatus> roots = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Directory> opened = new ConcurrentLinkedQueue<>();

    Targets(FileSystemCalls calls, List<ByteString> paths, RoomNeeds needs) {
        this.pool = DirectoryPool.ofWays(calls, DirectoryPool.LARGEST_BUDGET);
        this.paths = paths;
        this.needs = needs;
    }

    /**
     * Looks at all roots, before anything is walked.
     *
     * @return for each root whether a directory stands there
     */
    List<Boolean> look(FileAccess access) {
        List<Boolean> found = new ArrayList<>();
        for (ByteString path : paths) {
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

    // The copy is to stand on the file system of the directory that it is made in.
    private RoomNeeds.Need needAbove(ByteString path, FileAccess access) {
        ByteString above = Tokens.parent(path);
        try (LongPath longPath = LongPath.of(access, above)) {
            FileStatus status = access.followedStatus(longPath.base(), access.name(longPath.rest()));
            return needs.of(status.device(), above);
        } catch (SystemCallException e) {
            return needs.unknown();
        }
    }

    /** Returns what is counted of the file system that the copy of a root goes to. */
    RoomNeeds.Need need(int root) {
        return rootNeeds.get(root);
    }

    /** Returns what stands at the target of a root that is a directory. */
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

    // As who copies does: what a link stands for counts only where the path ends in a slash.
    private static int open(ByteString path, FileAccess access) throws SystemCallException {
        try (LongPath longPath = LongPath.of(access, path)) {
            return access.open(longPath.base(), access.name(longPath.rest()), O_DIRECTORY | O_NOFOLLOW | O_PATH, 0);
        }
    }

    /** Returns what stands at the target of a directory, given the target of the one above. */
    PlannedTarget child(int root, PlannedTarget above, TreePath path, FileAccess access) {
        if (above.directory() == null) {
            return PlannedTarget.none(above.need());
        }
        Directory directory = above.directory().child(path);
        try {
            FileStatus status = directory.open(access);
            directory.release();
            // Something may be mounted there.
            RoomNeeds.Need need = above.need().isOf(status.device())
                    ? above.need()
                    : needs.of(status.device(), ByteString.of(EntryFailure.fullPath(paths.get(root), path)));
            return new PlannedTarget(directory, OptionalInt.of(status.permissions()), need);
        } catch (SystemCallException e) {
            return PlannedTarget.none(above.need());
        }
    }

    /** Returns whether a directory of the source is a target: a bind mount or a followed link has led there. */
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
