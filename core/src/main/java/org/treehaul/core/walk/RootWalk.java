// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.options.PathSelection;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;
import org.treehaul.core.walk.options.Symlinks;

/** Begins the walk of a root: the only place where a path is resolved in the form in which the user gave it. */
final class RootWalk {

    private RootWalk() {}

    static <D> void walk(WorkerThread<D> worker, WalkRun<D> run, FoundEntry<D> found, int rootIndex) {
        FileAccess access = worker.access();
        Root root = run.root(rootIndex);
        PathSelection selection = root.selection().orElse(null);
        SelectedEntries alone = selection instanceof SelectedEntries entries ? entries : null;
        if (alone != null && alone.isEmpty()) {
            return;
        }
        worker.busyWith(rootIndex, TreePath.root());
        try (LongPath path = LongPath.of(access, root.path())) {
            byte[] rest = path.rest();
            boolean follow = run.options().symlinks() != Symlinks.NEVER || selection != null && selection.isFollowed();
            MemorySegment name = access.rootName(rest);
            FileStatus status = access.status(path.base(), name, follow);
            found.setRoot(rootIndex, path.base(), name, rest, status, follow);
            if (alone != null) {
                found.setNumber(alone.rootNumber());
                checkRoot(alone, status);
            }
            worker.worked(1);
            FileQuery where = run.options().where();
            if (status.kind() != EntryKind.DIRECTORY && alone == null && !where.isAll()
                    && !where.matches(new FoundValues(run.roots()).of(found))) {
                return;
            }
            Step step = worker.called().entry(found);
            if (step == Step.QUIT) {
                run.quit();
            } else if (step == Step.CONTINUE && status.kind() == EntryKind.DIRECTORY) {
                int flags = O_DIRECTORY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
                int descriptor = access.tryOpen(path.base(), name, flags, 0);
                if ((descriptor == -Errno.EMFILE || descriptor == -Errno.ENFILE) && run.sharedContext().closeUnheld()) {
                    descriptor = access.tryOpen(path.base(), name, flags, 0);
                }
                Directory handle = run.openRoot(rootIndex, FileAccess.check("open", descriptor));
                run.worksOn(access.fileSystemType(descriptor));
                worker.walkDirectory(new WalkDirectory<>(null, handle, rootIndex, follow, selection));
            }
        } catch (SystemCallException e) {
            EntryFailure failure = EntryFailure.of(root.path(), TreePath.root(), e);
            // An entry that was selected alone existed and was not a directory.
            EntryFailure.Kind kind = alone == null ? failure.kind() : switch (e.errno()) {
                case Errno.ENOENT -> EntryFailure.Kind.VANISHED;
                case Errno.EISDIR -> EntryFailure.Kind.CHANGED;
                default -> failure.kind();
            };
            worker.called().failed(failure.as(kind));
        }
    }

    // A root that is selected alone must not be walked, and one that is only on the way must not be passed on as an
    // entry.
    private static void checkRoot(SelectedEntries selection, FileStatus status) throws SystemCallException {
        boolean isDirectory = status.kind() == EntryKind.DIRECTORY;
        boolean isToBe = selection.isOfDirectories() || selection.rootNumber() < 0;
        if (isDirectory != isToBe) {
            throw new SystemCallException("open", isDirectory ? Errno.EISDIR : Errno.ENOTDIR);
        }
    }
}
