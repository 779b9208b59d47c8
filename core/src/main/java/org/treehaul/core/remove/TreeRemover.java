// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.OperandOrder;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Removes files and trees. The rules of GNU rm apply: {@code /}, {@code .} and {@code ..} are refused, symbolic links
 * are removed and not followed, and a directory is removed after its content. Besides, mount points are refused unless
 * the options permit them. Immutable; any number of threads may use it.
 */
public final class TreeRemover {

    private final FileSystemCalls calls;
    private final RemoveOptions options;
    private final Function<WalkOptions, Walker> walkers;
    private final Optional<RemovalQuestion> question;

    private TreeRemover(FileSystemCalls calls, RemoveOptions options, Function<WalkOptions, Walker> walkers,
            Optional<RemovalQuestion> question) {
        this.calls = calls;
        this.options = options;
        this.walkers = walkers;
        this.question = question;
    }

    /** Returns a remover with these calls and options. */
    public static TreeRemover of(FileSystemCalls calls, RemoveOptions options) {
        return new TreeRemover(calls, options, walk -> TreeWalker.of(calls, walk), Optional.empty());
    }

    /**
     * Returns a remover that walks the trees with another walker, such as one that shares the walk among ranks.
     *
     * @param others creates the walker, given the options that the removal needs; its number of threads may differ
     */
    public TreeRemover withWalking(Function<WalkOptions, Walker> others) {
        return new TreeRemover(calls, options, others, question);
    }

    /** Returns a remover that asks before each step. */
    public TreeRemover withQuestion(RemovalQuestion asked) {
        return new TreeRemover(calls, options, walkers, Optional.of(asked));
    }

    /**
     * Removes paths, those that are inside others in the order in which they are given. An entry that cannot be removed
     * is reported and stays, as do the directories above it; the rest is removed.
     *
     * @param paths the paths as the user gave them, absolute or relative to the working directory
     * @param listener receives failures and, if the options ask for it, each removed entry, on any thread
     * @param progress counts the removed entries
     * @throws IllegalArgumentException if the walker does only a {@linkplain Walker#isPart() part}
     */
    public RemoveResult remove(List<ByteString> paths, EventListener listener, Progress progress,
            Cancellation cancellation) {
        Walker walker = walkers.apply(WalkOptions.defaults().withStatus(false).withThreads(options.threads()));
        if (walker.isPart()) {
            throw new IllegalArgumentException("a part of the entries cannot remove a directory");
        }
        RefusedOperands refused = RefusedOperands.of(calls, options);
        RateLimiter limiter = RateLimiter.of(options.rate());
        Runnable pace = options.rate() == 0 ? null : () -> limiter.acquire(1, cancellation::isCancelled);
        long user = user();
        boolean isComplete = true;
        for (List<Operand> operands : OperandOrder.rounds(operands(paths, listener, progress), Operand::path)) {
            List<Root> roots = operands.stream().map(operand -> Root.of(operand.path())).toList();
            Set<RemovalHandler.Place> wanted = ConcurrentHashMap.newKeySet();
            WalkResult<RemovalHandler> result = walker.walkWith(roots,
                    (WalkWorker<Remains> worker) -> new RemovalHandler(options, operands, refused, user, wanted,
                            question.orElse(null), pace, listener, progress),
                    cancellation, progress);
            isComplete &= result.isComplete();
        }
        return new RemoveResult(progress.snapshot(), isComplete);
    }

    private List<Operand> operands(List<ByteString> paths, EventListener listener, Progress progress) {
        List<Operand> operands = new ArrayList<>();
        for (ByteString path : paths) {
            Operand operand = Operand.of(path);
            Optional<EntryFailure> refusal = operand.refusal();
            if (refusal.isEmpty()) {
                operands.add(operand);
            } else if (path.length() > 0 || !options.ignoreMissing()) {
                progress.entryFailed();
                listener.onEvent(new Event.Failed(refusal.get()));
            }
        }
        return operands;
    }

    /**
     * Checks paths as {@link #remove} does, and returns those to remove later; nothing is removed.
     *
     * @param listener receives the paths that are refused or do not exist
     */
    public List<Root> roots(List<ByteString> paths, EventListener listener, Progress progress) {
        RefusedOperands refused = RefusedOperands.of(calls, options);
        return accepted(paths, listener, progress, (access, operand) -> {
            try (LongPath path = LongPath.of(access, operand.path())) {
                MemorySegment name = access.rootName(path.rest());
                FileStatus status = access.status(path.base(), name);
                operand.check(status, options.recursive());
                refused.check(access, path.base(), name, status, operand);
                return Root.of(operand.path());
            }
        });
    }

    /**
     * Checks paths as {@link #remove} does, and renames each within its directory to a hidden name that begins with
     * {@code .treehaul-removed-}, so that it leaves its name at once and can be removed later. A path that has such a
     * name already keeps it. A kill leaves some paths under their hidden names and the others as they were.
     *
     * @param listener receives the paths that are refused, do not exist or cannot be renamed; they stay as they are
     * @param progress counts the renamed paths
     * @return the paths to remove, in the order of the given ones
     */
    public List<Detached> detach(List<ByteString> paths, EventListener listener, Progress progress) {
        RefusedOperands refused = RefusedOperands.of(calls, options);
        return accepted(paths, listener, progress, (access, operand) -> {
            Detached detached = new Detaching(access, options, refused).detach(operand);
            progress.entryDone();
            return detached;
        });
    }

    /** Examines an operand, and returns the result if it is accepted. */
    private interface Examination<T> {
        T of(FileAccess access, Operand operand) throws SystemCallException;
    }

    private <T> List<T> accepted(List<ByteString> paths, EventListener listener, Progress progress,
            Examination<T> examination) {
        List<T> accepted = new ArrayList<>();
        try (FileAccess access = FileAccess.open(calls)) {
            for (Operand operand : operands(paths, listener, progress)) {
                try {
                    accepted.add(examination.of(access, operand));
                } catch (SystemCallException e) {
                    if (e.errno() != Errno.ENOENT || !options.ignoreMissing()) {
                        progress.entryFailed();
                        listener.onEvent(new Event.Failed(EntryFailure.of(operand.path(), TreePath.root(), e)));
                    }
                }
            }
        }
        return accepted;
    }

    private static long user() {
        try {
            return ProcessStatus.read().effectiveUid();
        } catch (IOException e) {
            // No user has this number: the modes of all directories are read.
            return -1;
        }
    }
}
