// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.context.BatchSettings;
import org.treehaul.core.copy.links.HardLinks;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.target.SyncPoints;
import org.treehaul.core.copy.target.TemporaryNames;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.operation.FailedPlaces;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Moves files and trees. A source on the file system of its target is renamed. Any other is copied with all attributes,
 * and each copy is read back and compared; when all copies are on disk, the entries of the source that were copied are
 * removed, if they are unchanged since then. So each file is at the source or at the target at any moment. After a kill
 * the same pairs can be moved again: what is left at the sources is then moved.
 *
 * <p>
 * Immutable; any number of threads may use it.
 */
public final class TreeMover {

    private static final String DOT = "refused to move '.' or '..'";

    private final FileSystemCalls calls;
    private final CopyOptions options;
    private final Function<WalkOptions, Walker> walkers;

    private TreeMover(FileSystemCalls calls, CopyOptions options, Function<WalkOptions, Walker> walkers) {
        this.calls = calls;
        this.options = options;
        this.walkers = walkers;
    }

    /**
     * Returns a mover.
     *
     * @param options the options of the copy, which decide how existing entries are handled, whether the user is asked
     *        before one is replaced, and how many threads copy. A move preserves and verifies everything in any case.
     */
    public static TreeMover of(FileSystemCalls calls, CopyOptions options) {
        return new TreeMover(calls, adapt(options), walk -> TreeWalker.of(calls, walk));
    }

    /**
     * Returns a mover that walks the sources that it copies with another walker, such as one that shares the walk among
     * ranks.
     *
     * @param others creates the walker, given the options that the copy needs; its number of threads may differ
     */
    public TreeMover withWalking(Function<WalkOptions, Walker> others) {
        return new TreeMover(calls, options, others);
    }

    /** Returns options with everything that a move requires. */
    private static CopyOptions adapt(CopyOptions options) {
        return options.toBuilder()
                .recursive(true)
                .symlinks(Symlinks.NEVER)
                .preserve(EnumSet.allOf(Preserve.class))
                .form(CopyOptions.Form.COPY)
                .attributesOnly(false)
                .inPlace(false)
                .takesNames(true)
                .dryRun(false)
                .oneFileSystem(false)
                .verify(options.verify() == CopyOptions.Verify.NONE ? CopyOptions.Verify.XXH3 : options.verify())
                .build();
    }

    /**
     * Moves each source to its target. An entry that fails stays at the source, as do the directories above it, and is
     * reported; the rest is moved. After a cancellation, or when the destination fails as a whole, nothing further is
     * removed from the sources, and the result is not complete.
     *
     * @param pairs the sources and their targets; no two have the same target
     * @param listener receives failures and notices, on any thread; and, if the options ask for it, each entry that was
     *        renamed or copied, and each that was removed
     * @param progress counts the entries that are renamed or copied
     * @throws UncheckedIOException if the temporary list of the entries cannot be written or read
     */
    public MoveResult move(List<CopyPair> pairs, EventListener listener, Progress progress, Cancellation cancellation) {
        Renamed done = rename(pairs, listener, progress, cancellation);
        List<CopyPair> others = done.others();
        long renamed = done.renamed();
        if (!done.isWhole()) {
            withdraw(done);
        }
        if (others.isEmpty() || !done.isWhole()) {
            return new MoveResult(progress.snapshot(), renamed, 0, done.isWhole());
        }
        try {
            MoveResult result = copyAndRemove(done.copying(), others, renamed, listener, progress, cancellation);
            boolean isWhole = result.isComplete() && result.counts().failures() == 0;
            endMarks(done.marks(), isWhole, listener, progress);
            if (!isWhole) {
                undo(done.backups(), listener);
            }
            return new MoveResult(progress.snapshot(), renamed, result.removed(), result.isComplete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The sources of a move after those on the file systems of their targets are renamed.
     *
     * @param renamed how many were renamed
     * @param others the pairs on two file systems, to be copied; the targets that are new directories are marked as
     *        unfinished
     * @param copying the options of that copy
     * @param marks the files that mark targets, with the pairs of these targets
     * @param backups the backups that were made of the targets
     * @param isWhole whether all pairs were tried
     */
    @Internal
    public record Renamed(long renamed, List<CopyPair> others, CopyOptions copying, Map<ByteString, CopyPair> marks,
            Map<CopyPair, TargetBackup> backups, boolean isWhole) {}

    /** Renames the sources for which this is possible, as {@link #move} does. */
    @Internal
    public Renamed rename(List<CopyPair> pairs, EventListener listener, Progress progress, Cancellation cancellation) {
        long renamed = 0;
        List<CopyPair> others = new ArrayList<>();
        Map<ByteString, CopyPair> marks = new LinkedHashMap<>();
        try (FileAccess access = FileAccess.open(calls)) {
            Renaming renaming = new Renaming(options, access);
            for (CopyPair pair : pairs) {
                if (cancellation.isCancelled()) {
                    return new Renamed(renamed, others, renaming.ofCopy(), marks, renaming.backups(), false);
                }
                try {
                    refuseDots(pair);
                    switch (renaming.rename(pair)) {
                        case RENAMED -> {
                            renamed++;
                            progress.entryDone();
                            report(pair, listener);
                        }
                        case SKIPPED -> progress.entrySkipped();
                        case OTHER_FILE_SYSTEM -> {
                            UnfinishedMove.begin(access, pair, false).ifPresent(mark -> marks.put(mark, pair));
                            others.add(pair);
                        }
                        case OTHER_AND_BACKED_UP -> {
                            UnfinishedMove.begin(access, pair, true).ifPresent(mark -> marks.put(mark, pair));
                            others.add(pair);
                        }
                    }
                } catch (SystemCallException e) {
                    failed(pair, e, listener, progress);
                }
            }
            for (CopyPair pair : List.copyOf(others)) {
                try {
                    renaming.checkCopied(pair);
                } catch (SystemCallException e) {
                    others.remove(pair);
                    failed(pair, e, listener, progress);
                }
            }
            Map<CopyPair, TargetBackup> unused = new LinkedHashMap<>(renaming.backups());
            others.forEach(unused::remove);
            renaming.backups().keySet().retainAll(others);
            undo(unused, listener);
            Map<ByteString, CopyPair> unneeded = new LinkedHashMap<>(marks);
            unneeded.values().removeAll(others);
            marks.values().retainAll(others);
            endMarks(unneeded, true, listener, progress);
            return new Renamed(renamed, others, renaming.ofCopy(), marks, renaming.backups(), true);
        }
    }

    private static void failed(CopyPair pair, SystemCallException cause, EventListener listener, Progress progress) {
        progress.entryFailed();
        listener.onEvent(new Event.Failed(EntryFailure.of(pair.source().path(), TreePath.root(), cause)));
        if (cause.errno() == Errno.ENOTEMPTY || cause.errno() == Errno.EEXIST) {
            listener.onEvent(new Event.Notice("'" + pair.target() + "' is kept: -b moves it out of the way, "
                    + "and 'treehaul sync' merges a tree into it"));
        }
    }

    /**
     * Reports what a move of the pairs would do, and does nothing: the sources that would be renamed, and each entry
     * that would be copied and then removed from its source. Whether a rename is possible is judged by the numbers of
     * the devices.
     *
     * @param listener receives failures, notices, and what would be done
     * @param progress counts what would be done
     * @return the counts, with the number of sources that would be renamed
     */
    public MoveResult preview(List<CopyPair> pairs, EventListener listener, Progress progress,
            Cancellation cancellation) {
        long renamed = 0;
        List<CopyPair> others = new ArrayList<>();
        try (FileAccess access = FileAccess.open(calls)) {
            Renaming renaming = new Renaming(options, access);
            for (CopyPair pair : pairs) {
                try {
                    refuseDots(pair);
                    switch (renaming.preview(pair)) {
                        case RENAMED -> {
                            renamed++;
                            progress.entryDone();
                            report(pair, listener);
                        }
                        case SKIPPED -> progress.entrySkipped();
                        case OTHER_FILE_SYSTEM, OTHER_AND_BACKED_UP -> others.add(pair);
                    }
                } catch (SystemCallException e) {
                    progress.entryFailed();
                    listener.onEvent(new Event.Failed(EntryFailure.of(pair.source().path(), TreePath.root(), e)));
                }
            }
        }
        boolean isComplete = true;
        if (!others.isEmpty()) {
            CopyOptions dry = options.toBuilder().backup(Backup.none()).dryRun(true).build();
            isComplete = TreeCopier.of(calls, dry)
                    .withWalking(walkers)
                    .copy(others, listener, progress, cancellation)
                    .isComplete();
        }
        return new MoveResult(progress.snapshot(), renamed, 0, isComplete);
    }

    /** Undoes the backups, and removes the marks of targets that do not exist, because their copies were not begun. */
    @Internal
    public void withdraw(Renamed move) {
        undo(move.backups(), event -> {
            // The backup keeps its name, and the mark shows the next move that there is one.
        });
        try (FileAccess access = FileAccess.open(calls)) {
            for (CopyPair pair : move.others()) {
                UnfinishedMove.withdraw(access, pair);
            }
        }
    }

    // Otherwise a later move would take what has the name by then for the entry that was backed up, and replace it.
    private void undo(Map<CopyPair, TargetBackup> backups, EventListener listener) {
        try (FileAccess access = FileAccess.open(calls)) {
            backups.forEach((pair, backup) -> {
                try {
                    if (UnfinishedMove.hasSource(access, pair) && backup.undo()) {
                        UnfinishedMove.end(access, UnfinishedMove.mark(access, pair));
                    }
                } catch (SystemCallException e) {
                    listener.onEvent(new Event.Notice("the backup of '" + pair.target() + "': " + e.getMessage()));
                }
            });
        }
    }

    // A source that is gone was moved as a whole, even if others failed.
    private void endMarks(Map<ByteString, CopyPair> marks, boolean isWhole, EventListener listener, Progress progress) {
        try (FileAccess access = FileAccess.open(calls)) {
            marks.forEach((mark, pair) -> {
                try {
                    if (isWhole || !UnfinishedMove.hasSource(access, pair)) {
                        UnfinishedMove.end(access, mark);
                    }
                } catch (SystemCallException e) {
                    progress.entryFailed();
                    listener.onEvent(new Event.Failed(EntryFailure.of(mark, TreePath.root(), e)));
                }
            });
        }
    }

    /**
     * Returns whether a directory is the unfinished target of a source, because a move of the source to this name was
     * killed or interrupted, or some entries failed. Moving the source to this path, not into it, moves the rest.
     */
    public boolean isUnfinished(ByteString source, ByteString target) {
        try (FileAccess access = FileAccess.open(calls)) {
            return UnfinishedMove.is(access, source, target);
        }
    }

    private static void refuseDots(CopyPair pair) throws SystemCallException {
        String name = UserPath.baseName(pair.source().path()).toString();
        if (name.isEmpty() || name.equals(".") || name.equals("..")) {
            throw new SystemCallException(DOT, 0);
        }
    }

    private void report(CopyPair pair, EventListener listener) {
        if (options.reportDone()) {
            listener.onEvent(new Event.Done("rename", pair.source().path(), pair.target()));
        }
    }

    private MoveResult copyAndRemove(CopyOptions copying, List<CopyPair> others, long renamed, EventListener listener,
            Progress progress, Cancellation cancellation) throws IOException {
        AtomicLong removed = new AtomicLong();
        List<CopyPair> pairs = finishGroups(others, removed, listener, progress, cancellation);
        if (pairs.isEmpty()) {
            return new MoveResult(progress.snapshot(), renamed, removed.get(), true);
        }
        FailedPlaces failed = new FailedPlaces();
        AtomicBoolean isPartial = new AtomicBoolean();
        EventListener noting = noting(pairs, failed, isPartial, listener);
        try (CopiedEntries entries = new CopiedEntries(); SyncPoints synced = new SyncPoints(calls)) {
            BatchSettings settings = new BatchSettings(TemporaryNames.of(pairs), null, synced, null, null, true,
                    new HardLinks(), entries);
            CopyResult copied = TreeCopier.of(calls, copying)
                    .withWalking(walkers)
                    .copy(pairs, noting, progress, cancellation, settings);
            entries.complete();
            if (!copied.isComplete() || cancellation.isCancelled()) {
                return new MoveResult(copied.counts(), renamed, removed.get(), false);
            }
            try {
                synced.sync();
            } catch (SystemCallException e) {
                noting.onEvent(new Event.Failed(EntryFailure.of(pairs.getFirst().target(), TreePath.root(), e)));
                noting.onEvent(new Event.Notice(
                        "the copies may not be on disk, so nothing was removed from the sources; repeat the move"));
                return new MoveResult(progress.snapshot(), renamed, removed.get(), false);
            }
            boolean keepsSome = progress.snapshot().skipped() > 0;
            boolean isWhole = !isPartial.get() && !keepsSome;
            RemovalContext removal = new RemovalContext(calls, pairs, failed, keepsSome, options.reportDone(), listener,
                    progress, cancellation, removed);
            new SourceRemoval(removal, options.threads()).run(entries,
                    group -> isWhole || group.size() == group.getFirst().links(),
                    new BegunGroups(calls, pairs, listener));
            return new MoveResult(progress.snapshot(), renamed, removed.get(), !cancellation.isCancelled());
        }
    }

    // Returns the pairs whose sources still exist.
    private List<CopyPair> finishGroups(List<CopyPair> pairs, AtomicLong removed, EventListener listener,
            Progress progress, Cancellation cancellation) {
        RemovalContext context = new RemovalContext(calls, pairs, new FailedPlaces(), false, options.reportDone(),
                listener, progress, cancellation, removed);
        BegunGroups.finish(context);
        if (removed.get() == 0) {
            return pairs;
        }
        try (FileAccess access = FileAccess.open(calls)) {
            return pairs.stream().filter(pair -> UnfinishedMove.hasSource(access, pair)).toList();
        }
    }

    // A call that failed at the target has the path of the target; the place that stays is that of the source.
    private static EventListener noting(List<CopyPair> pairs, FailedPlaces failed, AtomicBoolean isPartial,
            EventListener listener) {
        Map<ByteString, ByteString> sources = new HashMap<>();
        pairs.forEach(pair -> sources.put(pair.target(), pair.source().path()));
        return event -> {
            if (event instanceof Event.Failed(EntryFailure failure)) {
                isPartial.set(true);
                failed.add(sources.getOrDefault(failure.root(), failure.root()), failure.path());
            }
            listener.onEvent(event);
        };
    }
}
