// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
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
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.OperandOrder;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Changes an attribute of files and trees. Only entries that differ are changed. A directory is changed before its
 * content, unless its owner could not reach the content any more; then after it. Immutable; any number of threads may
 * use it.
 */
public final class TreeChanger {

    static final String IS_TOP = "refused to change '/' with its content; --no-preserve-root permits it";

    private static final String IS_LINK = "is a symbolic link; name the directory to which it leads";

    private final FileSystemCalls calls;
    private final AttributeChange change;
    private final ChangeOptions options;
    private final Function<WalkOptions, Walker> walkers;

    private TreeChanger(FileSystemCalls calls, AttributeChange change, ChangeOptions options,
            Function<WalkOptions, Walker> walkers) {
        this.calls = calls;
        this.change = change;
        this.options = options;
        this.walkers = walkers;
    }

    /** Returns a changer with these calls, change and options. */
    public static TreeChanger of(FileSystemCalls calls, AttributeChange change, ChangeOptions options) {
        return new TreeChanger(calls, change, options, walk -> TreeWalker.of(calls, walk));
    }

    /**
     * Returns a changer that walks the trees with another walker, such as one that shares the walk among ranks.
     *
     * @param others creates the walker, given the options that the change needs; its number of threads may differ
     */
    public TreeChanger withWalking(Function<WalkOptions, Walker> others) {
        return new TreeChanger(calls, change, options, others);
    }

    /**
     * Changes paths, those that are inside others in the order in which they are given. An entry that cannot be changed
     * is reported; the rest is changed. A change that was interrupted, in any way, is completed by repeating it.
     *
     * @param paths the paths as the user gave them, absolute or relative to the working directory
     * @param listener receives failures and, if the options ask for it, each entry, on any thread
     * @param progress counts the changed entries; those that need no change as skipped
     * @throws IllegalArgumentException if the walker does only a {@linkplain Walker#isPart() part}
     */
    public ChangeResult change(List<ByteString> paths, EventListener listener, Progress progress,
            Cancellation cancellation) {
        Walker walker = walkers.apply(WalkOptions.defaults()
                .withThreads(options.threads())
                .withWhere(options.where())
                .withSymlinks(options.followOperands() ? Symlinks.ROOTS : Symlinks.NEVER));
        if (walker.isPart()) {
            throw new IllegalArgumentException("a part of the entries cannot decide when to change a directory");
        }
        Optional<FileStatus> top = top();
        boolean isComplete = true;
        for (List<Root> roots : OperandOrder.rounds(named(paths, listener, progress), Root::path)) {
            Set<ChangeHandler.Place> noted = ConcurrentHashMap.newKeySet();
            WalkResult<ChangeHandler> result = walker.walkWith(roots,
                    (WalkWorker<Boolean> worker) -> new ChangeHandler(change, options, roots, top, noted, listener,
                            progress),
                    cancellation, progress);
            isComplete &= result.isComplete();
        }
        return new ChangeResult(progress.snapshot(), isComplete);
    }

    private Optional<FileStatus> top() {
        return options.preserveRoot() ? FileAccess.top(calls) : Optional.empty();
    }

    // An empty path names nothing.
    private static List<Root> named(List<ByteString> paths, EventListener listener, Progress progress) {
        List<Root> roots = new ArrayList<>();
        for (ByteString path : paths) {
            if (path.length() == 0) {
                fail(path, new SystemCallException("stat", Errno.ENOENT), listener, progress);
            } else {
                roots.add(Root.of(path));
            }
        }
        return roots;
    }

    /**
     * Checks paths as {@link #change} does, and returns those to change later with their content; nothing is changed.
     *
     * @param listener receives the paths that do not exist or are refused. A link to a directory is refused, because a
     *        plan does not follow it
     */
    public List<Root> roots(List<ByteString> paths, EventListener listener, Progress progress) {
        List<Root> roots = new ArrayList<>();
        Optional<FileStatus> top = top();
        try (FileAccess access = FileAccess.open(calls)) {
            for (Root root : named(paths, listener, progress)) {
                try {
                    FileStatus status = LongPath.status(access, root.path(), false);
                    if (top.filter(status::isSameFile).isPresent()) {
                        throw new SystemCallException(IS_TOP, 0);
                    }
                    if (options.followOperands() && status.kind() == EntryKind.SYMLINK) {
                        throw new SystemCallException(IS_LINK, 0);
                    }
                    roots.add(root);
                } catch (SystemCallException e) {
                    fail(root.path(), e, listener, progress);
                }
            }
        }
        return roots;
    }

    private static void fail(ByteString path, SystemCallException cause, EventListener listener, Progress progress) {
        progress.entryFailed();
        listener.onEvent(new Event.Failed(EntryFailure.of(path, TreePath.root(), cause)));
    }
}
