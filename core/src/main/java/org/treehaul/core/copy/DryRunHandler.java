// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.data.HoleRule;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;

/** Reports the work that a copy would do, without doing it. */
final class DryRunHandler implements WalkHandler<TargetDirectory> {

    private final CopyContext context;
    private final DryLinks links;
    private final WalkWorker<TargetDirectory> worker;
    private final FileAccess access;
    private final ExistingTarget existing;

    DryRunHandler(CopyContext context, DryLinks links, WalkWorker<TargetDirectory> worker) {
        this.context = context;
        this.links = links;
        this.worker = worker;
        this.access = worker.access();
        this.existing = new ExistingTarget(context.options(), access);
    }

    @Override
    public Step entry(FoundEntry<TargetDirectory> found) {
        int rootIndex = found.rootIndex();
        try {
            if (found.kind() == EntryKind.DIRECTORY) {
                if (!context.options().recursive()) {
                    throw new SystemCallException("copy a directory without -r", Errno.EISDIR);
                }
                return Step.CONTINUE;
            }
            FileStatus source = found.status();
            if (context.isGrouped(source)) {
                DryLinks.Group group = links.group(source);
                synchronized (group) {
                    inGroup(found, source, group);
                    group.nameDone();
                }
            } else {
                copied(found, source, there(found, source, false));
            }
        } catch (SystemCallException e) {
            context.outcomes().failed(rootIndex, found.path(), e);
            return Step.SKIP;
        } catch (TargetException e) {
            context.outcomes().failed(rootIndex, found.path(), e);
        }
        return Step.CONTINUE;
    }

    private void inGroup(FoundEntry<TargetDirectory> found, FileStatus source, DryLinks.Group group)
            throws TargetException {
        There there = there(found, source, group.isLed());
        if (!group.isLed()) {
            copied(found, source, there);
            boolean keeps = there.way() == Way.LEFT;
            // Without -u each name of a file that is kept decides for itself.
            if (!keeps || context.options().existing() == CopyOptions.Existing.UPDATE) {
                group.leads(keeps ? there.status() : null);
            }
        } else if (there.way() == Way.LEFT || group.isLinked(there.status())) {
            context.progress().entrySkipped();
        } else {
            context.outcomes().done("link", found.rootIndex(), found.path());
        }
    }

    private void copied(FoundEntry<TargetDirectory> found, FileStatus source, There there) {
        if (there.way() == Way.LEFT) {
            context.progress().entrySkipped();
            return;
        }
        if (source.kind() == EntryKind.REGULAR) {
            context.progress().fileDone();
            context.progress().bytesDone(dataBytes(source));
        }
        context.outcomes().done(there.way() == Way.NOTHING ? "copy" : "replace", found.rootIndex(), found.path());
    }

    private long dataBytes(FileStatus source) {
        CopyOptions options = context.options();
        if (options.attributesOnly() || options.form() != CopyOptions.Form.COPY) {
            return 0;
        }
        // Some file systems report no blocks at all.
        return source.blocks() == 0 ? source.size() : new HoleRule(options.sparse()).dataBytes(source);
    }

    private enum Way {
        NOTHING,
        LEFT,
        REPLACED
    }

    /**
     * The existing entry under a target name.
     *
     * @param status its status; null if there is none
     */
    private record There(Way way, @Nullable FileStatus status) {
        static final There NOTHING = new There(Way.NOTHING, null);
    }

    private There there(FoundEntry<TargetDirectory> found, FileStatus source, boolean isFurther)
            throws TargetException {
        WalkDirectory<TargetDirectory> parent = found.parent();
        try {
            TargetDirectory target = parent == null
                    ? context.targetRoots().parent(found.rootIndex(), access)
                    : parent.attachment();
            if (target.isNew()) {
                return There.NOTHING;
            }
            int descriptor = target.handle().acquire(access);
            try {
                MemorySegment name = access
                        .name((parent == null ? context.targetRoots().name(found.rootIndex()) : found.path().name())
                                .toBytes());
                FileStatus there = ExistingTarget.find(access, descriptor, name);
                if (there == null) {
                    return There.NOTHING;
                }
                boolean isRoot = found.path().isRoot();
                ExistingTarget.Referent referent = () -> found.access()
                        .followedStatus(found.parentDescriptor(), found.name());
                ExistingTarget.Decision decision = isFurther
                        ? existing.decideLink(source, there, isRoot, descriptor, name, referent)
                        : existing.decide(source, there, isRoot, descriptor, name, referent);
                return new There(decision == ExistingTarget.Decision.SKIP ? Way.LEFT : Way.REPLACED, there);
            } finally {
                target.handle().release();
            }
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return There.NOTHING;
            }
            throw new TargetException(e);
        }
    }

    @Override
    public @Nullable TargetDirectory enter(WalkDirectory<TargetDirectory> directory,
            WalkWorker<TargetDirectory> entering) throws SystemCallException {
        WalkDirectory<TargetDirectory> parent = directory.parent();
        worker.busyWith(directory.rootIndex(), directory.path());
        TargetDirectory above = parent == null
                ? context.targetRoots().parent(directory.rootIndex(), access)
                : parent.attachment();
        Directory handle = above.handle().child(directory.path());
        context.progress().directoryDone();
        context.outcomes().done("directory", directory.rootIndex(), directory.path());
        if (parent == null || above.isNew()) {
            return rootOrNew(directory, above, parent == null);
        }
        try {
            FileStatus status = handle.open(access);
            handle.release();
            return new TargetDirectory(handle, status, false, null, false, false);
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return new TargetDirectory(handle, directory.status(), true, null, false, false);
            }
            context.outcomes().failed(directory.rootIndex(), directory.path(), new TargetException(e));
            return null;
        }
    }

    private TargetDirectory rootOrNew(WalkDirectory<TargetDirectory> directory, TargetDirectory above, boolean isRoot)
            throws SystemCallException {
        if (isRoot) {
            int parent = above.handle().acquire(access);
            try {
                MemorySegment name = access.name(context.targetRoots().name(directory.rootIndex()).toBytes());
                int descriptor = access.openDirectory(parent, name);
                Directory handle = context.targetRoots().openRoot(directory.rootIndex(), descriptor);
                return new TargetDirectory(handle, access.status(descriptor), false, null, false, false);
            } catch (SystemCallException e) {
                if (e.errno() != Errno.ENOENT) {
                    throw e;
                }
            } finally {
                above.handle().release();
            }
        }
        // The directory does not exist: nothing in it is looked up, so the handle is never opened.
        return new TargetDirectory(above.handle(), directory.status(), true, null, false, false);
    }

    @Override
    public void failed(EntryFailure failure) {
        context.outcomes().failed(failure);
    }
}
