// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Predicate;

import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.operation.FailedPlaces;

/**
 * Removes the entries of sources whose copies are complete and durable. Directly before a name is removed, it is
 * compared with the version that was copied; one that differs stays and is reported. Not safe for several threads.
 */
final class SourceRemoval {

    private static final String CHANGED = "changed after it was copied; it stays at the source, repeat the move";
    private static final String OTHER_NAMES = "stays at the source, because another name of the same file was not moved";

    private final List<CopyPair> pairs;
    private final FailedPlaces failed;
    private final boolean keepsSome;
    private final EventListener listener;
    private final boolean reportsDone;
    private final Progress progress;
    private final Cancellation cancellation;
    private long removed;

    /** The work of one name in its open directory. */
    private interface Work {
        void on(FileAccess access, int directory, MemorySegment name, FileStatus now) throws SystemCallException;
    }

    /**
     * Creates a removal.
     *
     * @param failed the places where the copy failed; failures of the removal are added
     * @param keepsSome whether the options left entries at the source, so that directories need not become empty
     */
    SourceRemoval(List<CopyPair> pairs, FailedPlaces failed, boolean keepsSome, boolean reportsDone,
            EventListener listener, Progress progress, Cancellation cancellation) {
        this.pairs = pairs;
        this.failed = failed;
        this.keepsSome = keepsSome;
        this.reportsDone = reportsDone;
        this.listener = listener;
        this.progress = progress;
        this.cancellation = cancellation;
    }

    /**
     * Removes the entries: files, then directories.
     *
     * @param isWhole whether all names of a file that are in the sources are in the list
     * @return the number of removed entries
     * @throws IOException if the list cannot be read; the rest stays
     */
    long run(FileSystemCalls calls, CopiedEntries entries, Predicate<List<CopiedEntry>> isWhole) throws IOException {
        try (FileAccess access = FileAccess.open(calls); OpenPath open = new OpenPath(calls, access)) {
            entries.readFiles(entry -> {
                remove(access, open, entry);
                return !cancellation.isCancelled();
            });
            entries.readGroups(group -> {
                removeGroup(access, open, group, isWhole.test(group));
                return !cancellation.isCancelled();
            });
            entries.readDirectories(entry -> {
                removeDirectory(access, open, entry);
                return !cancellation.isCancelled();
            });
        }
        return removed;
    }

    private void remove(FileAccess access, OpenPath open, CopiedEntry entry) {
        perform(access, open, entry, (a, directory, name, now) -> {
            if (!entry.isUnchanged(now)) {
                throw new SystemCallException(CHANGED, 0);
            }
            unlink(a, directory, name, entry);
        });
    }

    // All names are compared before the first is removed, because each removal changes the ctime of the others; until
    // then the number of names shows whether another process has added or removed one.
    private void removeGroup(FileAccess access, OpenPath open, List<CopiedEntry> group, boolean isWhole) {
        if (!isWhole) {
            group.forEach(entry -> fail(entry, new SystemCallException(OTHER_NAMES, 0)));
            return;
        }
        boolean areAllSame = true;
        for (CopiedEntry entry : group) {
            areAllSame &= perform(access, open, entry, (a, directory, name, now) -> {
                if (!entry.isUnchanged(now) || now.linkCount() != entry.links()) {
                    throw new SystemCallException(CHANGED, 0);
                }
            });
        }
        if (!areAllSame) {
            return;
        }
        for (int i = 0; i < group.size(); i++) {
            CopiedEntry entry = group.get(i);
            long left = entry.links() - i;
            boolean isRemoved = perform(access, open, entry, (a, directory, name, now) -> {
                if (!entry.hasSameData(now) || now.linkCount() != left) {
                    throw new SystemCallException(CHANGED, 0);
                }
                unlink(a, directory, name, entry);
            });
            if (!isRemoved) {
                return;
            }
        }
    }

    private void removeDirectory(FileAccess access, OpenPath open, CopiedEntry entry) {
        ByteString root = pairs.get(entry.root()).source().path();
        if (failed.contain(root, entry.path())) {
            return;
        }
        perform(access, open, entry, (a, directory, name, now) -> {
            if (!entry.isSameFile(now)) {
                throw new SystemCallException(CHANGED, 0);
            }
            int result = a.calls().unlinkat(directory, name, AT_REMOVEDIR);
            if (result == -Errno.ENOTEMPTY && keepsSome) {
                failed.add(root, entry.path());
                return;
            }
            FileAccess.check("rmdir", result);
            done(entry);
        });
    }

    private void unlink(FileAccess access, int directory, MemorySegment name, CopiedEntry entry)
            throws SystemCallException {
        FileAccess.check("unlink", access.calls().unlinkat(directory, name, 0));
        done(entry);
    }

    private boolean perform(FileAccess access, OpenPath open, CopiedEntry entry, Work work) {
        ByteString source = UserPath.stripSlashes(pairs.get(entry.root()).source().path());
        try {
            if (entry.path().isRoot()) {
                try (LongPath path = LongPath.of(access, source)) {
                    MemorySegment name = access.rootName(path.rest());
                    work.on(access, path.base(), name, access.status(path.base(), name));
                }
            } else {
                int directory = open.open(entry.root(), source, entry.path().parent());
                MemorySegment name = access.name(entry.path().nameBytes());
                work.on(access, directory, name, access.status(directory, name));
            }
            return true;
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                // Another process has removed it; its copy is complete.
                return true;
            }
            fail(entry, e);
            return false;
        }
    }

    private void done(CopiedEntry entry) {
        removed++;
        if (reportsDone) {
            listener.onEvent(new Event.Removed(pairs.get(entry.root()).sourcePath(entry.path())));
        }
    }

    private void fail(CopiedEntry entry, SystemCallException cause) {
        EntryFailure failure = EntryFailure.of(pairs.get(entry.root()).source().path(), entry.path(), cause);
        failed.add(failure);
        progress.entryFailed();
        listener.onEvent(new Event.Failed(cause.errno() == 0 ? failure.as(EntryFailure.Kind.CHANGED) : failure));
    }
}
