// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.frontier.Frontier;
import org.treehaul.core.walk.frontier.PermitGate;
import org.treehaul.core.walk.options.PathSelection;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.tuning.FarFileSystems;

/** The state that the workers of one walk share. */
final class WalkRun<D> {

    private final WalkOptions options;
    private final List<Root> roots;
    private final Cancellation cancellation;
    private final Frontier<Work<D>> frontier;
    private final SharedWalkContext<D> sharedContext;
    private final @Nullable WalkDirectory<D>[] importedRoots;
    private boolean isShared;
    private boolean isPart;
    private volatile boolean quit;
    private volatile boolean isFar;
    private volatile boolean isFarByType;
    private volatile @Nullable Throwable fault;

    @SuppressWarnings({"unchecked", "rawtypes"})
    WalkRun(WalkOptions options, SharedWalkContext<D> sharedContext, Cancellation cancellation, int workers,
            int active) {
        this.options = options;
        this.sharedContext = sharedContext;
        this.roots = sharedContext.roots();
        this.cancellation = cancellation;
        this.frontier = new Frontier<>(workers, active);
        this.importedRoots = new WalkDirectory[roots.size()];
    }

    /**
     * Makes the work of this walk a part of the work that ranks share, and returns the gate that admits it. Called
     * before the first worker begins.
     *
     * @param withOtherProcesses whether the ranks are in other processes and share nothing except units as bytes
     */
    PermitGate share(boolean withOtherProcesses) {
        isShared = true;
        isPart = withOtherProcesses;
        PermitGate shared = new PermitGate();
        frontier.share(shared);
        return shared;
    }

    /** Returns whether other processes do the rest of the walk. */
    boolean isPart() {
        return isPart;
    }

    SharedWalkContext<D> sharedContext() {
        return sharedContext;
    }

    WalkOptions options() {
        return options;
    }

    List<Root> roots() {
        return roots;
    }

    Root root(int index) {
        return roots.get(index);
    }

    Frontier<Work<D>> frontier() {
        return frontier;
    }

    /** Closes a root that this walk has left, unless other walks may still have parts of it. */
    void leftRoot(int index) {
        if (!isShared) {
            sharedContext.closeRoot(index);
        }
    }

    Directory openRoot(int index, int descriptor) {
        return sharedContext.openRoot(index, descriptor);
    }

    /**
     * Returns a root, open and entered, whose content another rank found. Each rank opens it once, by the path that the
     * user gave.
     */
    synchronized WalkDirectory<D> importedRoot(int index, Work.Runner<D> worker) throws SystemCallException {
        WalkDirectory<D> known = importedRoots[index];
        if (known == null) {
            FileAccess access = worker.access();
            Root root = roots.get(index);
            Directory handle = sharedContext.rootOrNull(index);
            PathSelection selection = root.selection().orElse(null);
            boolean follow = options.symlinks() != Symlinks.NEVER || selection != null && selection.isFollowed();
            if (handle == null) {
                int flags = O_DIRECTORY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
                handle = openRoot(index, LongPath.open(access, root.path(), flags));
            }
            known = new WalkDirectory<>(null, handle, index, follow, selection);
            known.markImported();
            FileStatus status = handle.open(access);
            try {
                sharedContext.setRootDevice(index, status.device());
                known.opened(status);
                worker.enter(known);
            } finally {
                handle.release();
            }
            importedRoots[index] = known;
        }
        return known;
    }

    // The root is opened, and its device recorded, before anything below it.
    boolean isOtherFileSystem(WalkDirectory<D> directory, FileStatus status) {
        int index = directory.rootIndex();
        if (directory.parent() == null) {
            sharedContext.setRootDevice(index, status.device());
        }
        return sharedContext.rootDevice(index) != status.device();
    }

    /** Returns whether each call waits long for an answer, so that even a few entries are worth giving away. */
    boolean isFar() {
        return isFar;
    }

    void setFar(boolean far) {
        isFar = far;
    }

    /** Returns whether a root, or what the handler works on, is on a far file system, by its type. */
    boolean isFarByType() {
        return isFarByType;
    }

    void worksOn(long fileSystemType) {
        if (FarFileSystems.isFar(fileSystemType)) {
            isFarByType = true;
        }
    }

    boolean isStopped() {
        if (quit) {
            return true;
        }
        if (cancellation.isCancelled()) {
            quit();
        }
        return quit;
    }

    void quit() {
        quit = true;
        frontier.stop();
    }

    void fault(Throwable cause) {
        fault = cause;
        quit();
    }

    @Nullable Throwable fault() {
        return fault;
    }
}
