// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.file.FileCopier;
import org.treehaul.core.copy.file.FileTries;
import org.treehaul.core.copy.file.FileWorker;
import org.treehaul.core.copy.links.EarlierCopies;
import org.treehaul.core.copy.links.HardLinks;
import org.treehaul.core.copy.links.LinkMaker;
import org.treehaul.core.copy.links.LinkNames;
import org.treehaul.core.copy.links.SourceLinker;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.TargetAccess;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Symlinks;

/** Copies the entries that one thread of the walk finds. */
final class CopyHandler implements WalkHandler<TargetDirectory>, FileWorker, LinkNames.Copier {

    private final CopyContext context;
    private final WalkWorker<TargetDirectory> worker;
    private final FileAccess access;
    private final FileTries files;
    private final EarlierCopies.@Nullable Lookup earlier;
    private final LinkNames links;
    private final NodeTries nodes;
    private final DirectoryCopier directories;
    private final MemorySegment sourceName = Arena.ofAuto().allocate(4096);
    private final MemorySegment targetName = Arena.ofAuto().allocate(4096);

    // The target directory into which this thread copied last stays open: the next entry is most likely in the same
    // one.
    private @Nullable TargetDirectory current;

    // The status of a root that is a directory, until it was entered.
    private @Nullable FileStatus unopenedRoot;

    CopyHandler(CopyContext context, WalkWorker<TargetDirectory> worker) {
        this.context = context;
        this.worker = worker;
        this.access = worker.access();
        MetadataWriter metadata = new MetadataWriter(context.metadata(), access);
        TargetAccess target = context.targetAccess(access);
        this.earlier = context.earlierCopies(access);
        this.links = new LinkNames(context.outcomes(), worker,
                new LinkMaker(context.options(), context.pairs(), target));
        this.files = new FileTries(context, worker, target, metadata, links, earlier);
        this.nodes = new NodeTries(context, access, new NodeCopier(context, target, metadata),
                new SourceLinker(context.options(), context.pairs(), target), target.existing(), links, earlier, files);
        this.directories = new DirectoryCopier(context, access, metadata, target.collisions());
    }

    @Override
    public FileCopier files() {
        return files.files();
    }

    @Override
    public Step entry(FoundEntry<TargetDirectory> found) throws SystemCallException {
        if (found.kind() == EntryKind.DIRECTORY) {
            if (context.options().recursive()) {
                if (found.parent() == null) {
                    unopenedRoot = found.status();
                }
                return Step.CONTINUE;
            }
            context.outcomes()
                    .failed(found.rootIndex(), found.path(),
                            new SystemCallException("copy a directory without -r", Errno.EISDIR));
            return Step.SKIP;
        }
        WalkDirectory<TargetDirectory> parent = found.parent();
        int rootIndex = found.rootIndex();
        worker.busyWith(rootIndex, found.path());
        try {
            TargetDirectory target = parent == null ? directories.sweptTargetParent(rootIndex) : parent.attachment();
            ByteString name = parent == null ? directories.targetName(rootIndex) : found.path().name();
            // The walk follows a root's link whenever it follows any links.
            boolean isFollowed = found.isFollowed() || parent == null && context.options().symlinks() != Symlinks.NEVER;
            boolean isStream = context.options().isStream(parent == null, found.kind());
            // The kind of an entry selected alone was not checked; that of a root was.
            boolean isKindExpected = parent != null && found.number() >= 0;
            CopyTask task = new CopyTask(parent, rootIndex, found.path(), found.kind(), isFollowed, isStream, target,
                    name, found.number(), isKindExpected, null);
            MemorySegment nameAtTarget = parent == null ? FileAccess.put(targetName, name) : found.name();
            copy(task, found.parentDescriptor(), found.name(), hold(target), nameAtTarget, null, 0);
        } catch (SystemCallException e) {
            context.outcomes().failed(rootIndex, found.number(), found.path(), new TargetException(e));
        }
        return Step.CONTINUE;
    }

    private int hold(TargetDirectory target) throws SystemCallException {
        if (current == target) {
            return target.handle().descriptor();
        }
        letGo();
        int descriptor = target.handle().acquire(access);
        current = target;
        return descriptor;
    }

    private void letGo() {
        if (current != null) {
            current.handle().release();
            current = null;
        }
    }

    @Override
    public MemorySegment targetName(CopyTask task) {
        return FileAccess.put(targetName, task.targetName());
    }

    private void copy(CopyTask task, int directory, MemorySegment name, int targetDirectory, MemorySegment nameAtTarget,
            HardLinks.@Nullable Group wokenFor, int tries) {
        boolean isCopy = context.options().form() == CopyOptions.Form.COPY;
        if (isCopy && (task.isStream() || task.kind() == EntryKind.REGULAR)) {
            files.copy(task, directory, name, targetDirectory, nameAtTarget, wokenFor, tries);
        } else {
            nodes.copy(task, directory, name, targetDirectory, nameAtTarget, wokenFor, tries);
        }
    }

    @Override
    public void copyAgain(CopyTask task, HardLinks.@Nullable Group wokenFor, int tries) {
        worker.busyWith(task.rootIndex(), task.path());
        int targetDirectory;
        try {
            targetDirectory = hold(task.target());
        } catch (SystemCallException e) {
            context.outcomes().failed(task, new TargetException(e), tries + 1);
            links.wakeNext(wokenFor);
            return;
        }
        WalkDirectory<TargetDirectory> directory = task.sourceDirectory();
        MemorySegment nameAtTarget = targetName(task);
        try {
            if (directory == null) {
                try (LongPath path = LongPath.of(access, context.pair(task.rootIndex()).source().path())) {
                    MemorySegment name = FileAccess.put(sourceName, ByteString.of(path.rest()));
                    copy(task, path.base(), name, targetDirectory, nameAtTarget, wokenFor, tries);
                }
                return;
            }
            int descriptor = directory.handle().acquire(access);
            try {
                MemorySegment name = FileAccess.put(sourceName, task.path().name());
                copy(task, descriptor, name, targetDirectory, nameAtTarget, wokenFor, tries);
            } finally {
                directory.handle().release();
            }
        } catch (SystemCallException e) {
            context.outcomes().failed(task, e, tries + 1);
            links.wakeNext(wokenFor);
        }
    }

    @Override
    public @Nullable TargetDirectory enter(WalkDirectory<TargetDirectory> directory,
            WalkWorker<TargetDirectory> entering) throws SystemCallException {
        unopenedRoot = null;
        if (context.targetRoots().isTarget(directory.status())) {
            throw new SystemCallException("copy a directory into itself", Errno.EINVAL);
        }
        try {
            TargetDirectory entered = directories.enter(directory);
            if (directory.parent() == null) {
                Directory target = entered.handle();
                entering.worksOn(entering.access().fileSystemType(target.hold(entering.access())));
                target.release();
            }
            return entered;
        } catch (TargetException e) {
            notMade(directory.rootIndex(), directory.path(), e);
            return null;
        }
    }

    private void notMade(int rootIndex, TreePath path, TargetException e) {
        context.outcomes().walkFailed(rootIndex, EntryFailure.of(context.pair(rootIndex).target(), path, e.call()));
    }

    @Override
    public void unopened(WalkDirectory<TargetDirectory> directory, WalkWorker<TargetDirectory> opening) {
        try {
            makeUnopened(directory);
        } catch (TargetException e) {
            notMade(directory.rootIndex(), directory.path(), e);
        } catch (SystemCallException e) {
            // The directory was reported.
            return;
        }
    }

    private void makeUnopened(WalkDirectory<TargetDirectory> directory) throws SystemCallException, TargetException {
        WalkDirectory<TargetDirectory> parent = directory.parent();
        if (parent == null) {
            // A root was made when its failure was reported.
            return;
        }
        int descriptor = parent.handle().acquire(access);
        try {
            MemorySegment name = FileAccess.put(sourceName, directory.path().name());
            FileStatus status = access.find(descriptor, name, directory.isFollowed());
            if (status != null) {
                directories.makeUnopened(parent, directory.rootIndex(), directory.path(), status, descriptor, name,
                        directory.isFollowed());
            }
        } finally {
            parent.handle().release();
        }
    }

    private void unopenedRoot(int rootIndex, FileStatus status) {
        try (LongPath path = LongPath.of(access, context.pair(rootIndex).source().path())) {
            MemorySegment name = FileAccess.put(sourceName, ByteString.of(path.rest()));
            directories.makeUnopened(null, rootIndex, TreePath.root(), status, path.base(), name,
                    context.options().symlinks() != Symlinks.NEVER);
        } catch (TargetException e) {
            notMade(rootIndex, TreePath.root(), e);
        } catch (SystemCallException e) {
            // The root was reported.
            return;
        }
    }

    @Override
    public void leave(WalkDirectory<TargetDirectory> directory, WalkWorker<TargetDirectory> leaving) {
        if (!directory.isAttached()) {
            return;
        }
        if (current == Objects.requireNonNull(directory.attachment())) {
            letGo();
        }
        directories.leave(directory);
    }

    @Override
    public void idle(WalkWorker<TargetDirectory> idling) {
        files().verifier().flush();
        letGo();
    }

    @Override
    public void finished(WalkWorker<TargetDirectory> finishing) {
        letGo();
        if (earlier != null) {
            earlier.close();
        }
    }

    @Override
    public void failed(EntryFailure failure) {
        int rootIndex = worker.currentRoot();
        context.outcomes().walkFailed(rootIndex, failure);
        FileStatus status = unopenedRoot;
        unopenedRoot = null;
        if (status != null && failure.path().isRoot() && failure.errno() == Errno.EACCES) {
            unopenedRoot(rootIndex, status);
        }
    }
}
