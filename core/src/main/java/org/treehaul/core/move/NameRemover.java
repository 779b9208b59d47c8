// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.time.StoredTimes;

/**
 * Removes names of sources, one thread's part of a {@link SourceRemoval}. Directly before a name is removed, it is
 * compared with the version that was copied; one that differs stays and is reported. Not safe for several threads.
 */
final class NameRemover implements AutoCloseable {

    private static final String CHANGED = "changed after it was copied; it stays at the source, repeat the move";
    private static final String OTHER_NAMES = "stays at the source, because another name of the same file was not moved";

    private final RemovalContext context;
    private final FileAccess access;
    private final StoredTimes times;
    private final OpenPath open;

    /** The work of one name in its open directory. */
    private interface Work {
        void on(int directory, MemorySegment name, FileStatus now) throws SystemCallException;
    }

    /** Opens a remover, which its caller closes. */
    NameRemover(RemovalContext context) {
        this.context = context;
        this.access = FileAccess.open(context.calls());
        this.times = new StoredTimes(access);
        this.open = new OpenPath(context.calls(), access);
    }

    /** Removes a file with one name. */
    void remove(CopiedEntry entry) {
        perform(entry, (directory, name, now) -> {
            if (!entry.isUnchanged(now)) {
                throw new SystemCallException(CHANGED, 0);
            }
            unlink(directory, name, entry);
        });
    }

    /** Reports that the names of a file stay. */
    void keep(List<CopiedEntry> group) {
        group.forEach(entry -> fail(entry, new SystemCallException(OTHER_NAMES, 0)));
    }

    /**
     * Removes all names of a file, or none if one has changed.
     *
     * @return false if some names may be left although others were removed
     */
    boolean remove(List<CopiedEntry> group) {
        // All names are compared before the first is removed, because each removal changes the ctime of the others;
        // until then the number of names shows whether another process has added or removed one.
        boolean areAllSame = true;
        for (CopiedEntry entry : group) {
            areAllSame &= perform(entry, (directory, name, now) -> {
                if (!entry.isUnchanged(now) || now.linkCount() != entry.links()) {
                    throw new SystemCallException(CHANGED, 0);
                }
            });
        }
        if (!areAllSame) {
            return true;
        }
        for (int i = 0; i < group.size(); i++) {
            CopiedEntry entry = group.get(i);
            long left = entry.links() - i;
            boolean isRemoved = perform(entry, (directory, name, now) -> {
                if (!entry.hasSameData(now) || now.linkCount() != left) {
                    throw new SystemCallException(CHANGED, 0);
                }
                unlink(directory, name, entry);
            });
            if (!isRemoved) {
                return false;
            }
        }
        return true;
    }

    /**
     * Removes the remaining names of a file if another move has removed some, unless they have changed or one of the
     * copies is not as it was made. Otherwise all stay, to be copied again together.
     *
     * @param target the target of the source that contains the names
     */
    void removeRest(List<CopiedEntry> names, ByteString target) {
        try (OpenPath copies = new OpenPath(context.calls(), access)) {
            List<CopiedEntry> left = new ArrayList<>();
            FileStatus one = null;
            for (CopiedEntry entry : names) {
                FileStatus copy = visit(copies, entry, target, (directory, name, now) -> {
                    if (!entry.version().mayBeIn(now, times, directory, name)) {
                        throw new SystemCallException(CHANGED, 0);
                    }
                });
                if (one != null && !one.isSameFile(copy)) {
                    return;
                }
                one = copy;
                FileStatus now = findSource(entry);
                if (now != null) {
                    if (!entry.hasSameData(now) || now.linkCount() >= entry.links()) {
                        return;
                    }
                    left.add(entry);
                }
            }
            for (CopiedEntry entry : left) {
                perform(entry, (directory, name, now) -> {
                    if (entry.hasSameData(now)) {
                        unlink(directory, name, entry);
                    }
                });
            }
        } catch (SystemCallException e) {
            // A copy is missing, has changed, or cannot be reached.
        }
    }

    private @Nullable FileStatus findSource(CopiedEntry entry) throws SystemCallException {
        try {
            return visit(open, entry, UserPath.stripSlashes(context.source(entry)), (directory, name, now) -> {
            });
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    // Does the work, and returns the status that the entry had before it.
    private FileStatus visit(OpenPath paths, CopiedEntry entry, ByteString root, Work work) throws SystemCallException {
        if (entry.path().isRoot()) {
            try (LongPath path = LongPath.of(access, root)) {
                return visit(path.base(), access.rootName(path.rest()), work);
            }
        }
        int directory = paths.open(entry.root(), root, entry.path().parent());
        return visit(directory, access.name(entry.path().nameBytes()), work);
    }

    private FileStatus visit(int directory, MemorySegment name, Work work) throws SystemCallException {
        FileStatus now = access.status(directory, name);
        work.on(directory, name, now);
        return now;
    }

    /** Removes a directory, unless an entry in it failed. */
    void removeDirectory(CopiedEntry entry) {
        ByteString root = context.source(entry);
        if (context.failed().contain(root, entry.path())) {
            return;
        }
        perform(entry, (directory, name, now) -> {
            if (!entry.isSameFile(now)) {
                throw new SystemCallException(CHANGED, 0);
            }
            int result = access.calls().unlinkat(directory, name, AT_REMOVEDIR);
            if (result == -Errno.ENOTEMPTY && context.keepsSome()) {
                context.failed().add(root, entry.path());
                return;
            }
            FileAccess.check("rmdir", result);
            context.removed(entry);
        });
    }

    private void unlink(int directory, MemorySegment name, CopiedEntry entry) throws SystemCallException {
        FileAccess.check("unlink", access.calls().unlinkat(directory, name, 0));
        context.removed(entry);
    }

    private boolean perform(CopiedEntry entry, Work work) {
        ByteString source = UserPath.stripSlashes(context.source(entry));
        try {
            visit(open, entry, source, work);
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

    private void fail(CopiedEntry entry, SystemCallException cause) {
        EntryFailure failure = EntryFailure.of(context.source(entry), entry.path(), cause);
        context.failed().add(failure);
        context.progress().entryFailed();
        context.listener()
                .onEvent(new Event.Failed(cause.errno() == 0 ? failure.as(EntryFailure.Kind.CHANGED) : failure));
    }

    @Override
    public void close() {
        open.close();
        access.close();
    }
}
