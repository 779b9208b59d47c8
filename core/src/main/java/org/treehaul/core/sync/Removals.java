// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.sync.Found.Mark;
import org.treehaul.core.sync.renames.Candidates;

/** The removals of a run: listed first, then checked, then made. Used by one thread. */
final class Removals implements AutoCloseable {

    // The list of one portion is a walk of its own.
    private static final int PORTION = 100_000;

    // In a smaller tree, replacing more than half of the entries is common, and a user sees which ones go.
    private static final long LEAST_ENTRIES = 1_000;

    private final FileSystemCalls calls;
    private final SyncOptions options;
    private final ByteString root;
    private final Reporter reporter;
    private final Consumer<EntryFailure> failed;
    private final Consumer<TreePath> removed;
    private final RemovalList list;
    private final RemovalList contentInTheWay;
    private final Path temporary;
    private final Spool planned;
    private final Spool inTheWay;
    private final Spool changedDirectories;
    private final Set<TreePath> obstacles = new HashSet<>();
    private final Set<TreePath> blocked = new HashSet<>();
    private final Consumer<String> notices;
    private Map<Long, Mark> retimed = Map.of();
    private @Nullable Candidates candidates;
    private long obstacleContent;
    private boolean isListed = true;
    private long done;
    private long kept;

    Removals(FileSystemCalls calls, SyncOptions options, Scope scope, SyncPlace place, Reporter reporter,
            Consumer<EntryFailure> failed, Consumer<TreePath> removed, Consumer<String> notices, Path temporary) {
        this.calls = calls;
        this.options = options;
        this.root = place.pair().target();
        this.reporter = reporter;
        this.failed = failed;
        this.removed = removed;
        this.notices = notices;
        this.list = new RemovalList(calls, options, scope, place, failed);
        // The source's entry decides whether its name is taken.
        this.contentInTheWay = new RemovalList(calls, options, scope.withoutConditions(), place, failed);
        this.temporary = temporary;
        this.planned = new Spool(temporary);
        this.inTheWay = new Spool(temporary);
        this.changedDirectories = new Spool(temporary);
    }

    /** Lists what is to be removed. */
    void list(FoundChanges found, Cancellation cancellation) {
        found.obstacles().forEachPortion(PORTION, portion -> listObstacles(portion, cancellation));
        if (options.deletes()) {
            retimed = found.retimed();
            found.extras().forEachPortion(PORTION, portion -> {
                isListed &= list.list(portion, planned, cancellation);
                rememberParents(portion);
            });
            // The source has no directory above these from which that of the destination could get its times.
            found.extrasBelow()
                    .forEachPortion(PORTION, portion -> isListed &= list.list(portion, planned, cancellation));
        }
    }

    /** Returns the listed files among which renamed ones are found, and which are then not removed. */
    Candidates candidates() {
        Candidates all = new Candidates(planned.count(), options.modifyWindow().toNanos(), temporary);
        planned.forEachPortion(PORTION, portion -> {
            for (Found one : portion) {
                Mark mark = one.target();
                all.add(one.kind() == EntryKind.REGULAR, one.path(), mark.inode(), mark.size(), mark.seconds(),
                        mark.nanos());
            }
        });
        all.end();
        if (planned.count() > Candidates.MOST) {
            notices.accept("renamed files are searched among the first " + Candidates.MOST + " of "
                    + entries(planned.count()) + " that --delete would remove; others are copied");
        }
        candidates = all;
        return all;
    }

    private long plannedCount() {
        return planned.count() - (candidates == null ? 0 : candidates.paired());
    }

    /** Returns the number of entries to remove, including those that are renamed. */
    long listed() {
        return planned.count() + obstacleContent;
    }

    /** Passes on all entries to remove, some at a time. */
    void forEachPortion(Consumer<List<Found>> consumer) {
        forEachPlanned(consumer);
        forEachInTheWay(consumer);
    }

    // Those that only the destination has.
    private void forEachPlanned(Consumer<List<Found>> consumer) {
        Candidates renamed = candidates;
        int[] number = {0};
        planned.forEachPortion(PORTION,
                portion -> consumer.accept(renamed == null
                        ? portion
                        : portion.stream().filter(one -> !stays(renamed, number[0]++, one)).toList()));
    }

    private boolean stays(Candidates renamed, int number, Found one) {
        if (options.backup().isPresent() && renamed.isDropped(number)) {
            // It was not kept with the backups, because it was to be renamed.
            failed.accept(Remover.failure(root, one.path(), new SystemCallException("rename", Errno.ESTALE)));
            return true;
        }
        return renamed.isKept(number);
    }

    private void rememberParents(List<Found> portion) {
        TreePath last = null;
        for (Found one : portion) {
            TreePath parent = one.path().parent();
            if (last == null || !parent.equals(last)) {
                changedDirectories.add(new Found(parent, EntryKind.DIRECTORY, Mark.NONE, Mark.NONE));
                last = parent;
            }
        }
    }

    // rsync, too, removes the content of a directory that is in the way only with --delete or --force.
    private void listObstacles(List<Found> portion, Cancellation cancellation) {
        boolean mayHaveContent = options.deletes() || options.isForced();
        for (Found one : portion) {
            obstacles.add(one.path());
            if (one.kind() != EntryKind.DIRECTORY) {
                inTheWay.add(one);
                continue;
            }
            try (Spool content = new Spool(temporary)) {
                isListed &= contentInTheWay.list(List.of(one), content, cancellation);
                boolean[] isWhole = new boolean[1];
                content.forEachPortion(PORTION, entries -> isWhole[0] = entries.getLast().path().equals(one.path()));
                // The directory itself is replaced, not removed, as with rsync.
                long below = content.count() - (isWhole[0] ? 1 : 0);
                boolean mayRemove = mayHaveContent || isWhole[0] && below == 0;
                if (mayRemove && below > options.mostRemovals() - obstacleContent) {
                    blocked.add(one.path());
                    kept += below;
                    notices.accept("'" + (one.path().isRoot() ? root : one.path())
                            + "' was not copied: the directory in its way contains " + entries(below)
                            + ", more than --max-delete permits to remove");
                    continue;
                }
                if (mayRemove) {
                    content.forEachPortion(PORTION, entries -> entries.forEach(inTheWay::add));
                    obstacleContent += below;
                }
                if (!isWhole[0] || !mayRemove) {
                    blocked.add(one.path());
                    failed.accept(Remover.failure(root, one.path(), new SystemCallException(isWhole[0]
                            ? "make way for another kind of entry (remove the directory, or add --delete or --force)"
                            : "make way for another kind of entry", Errno.ENOTEMPTY)));
                }
            }
        }
    }

    /** Returns whether an entry cannot be copied because something is in its way. */
    boolean isBlocked(TreePath path) {
        return !blocked.isEmpty() && blocked.contains(path);
    }

    /** Returns whether an entry of the destination must be removed before one of the source gets its name. */
    boolean isInTheWay(TreePath path) {
        return !obstacles.isEmpty() && obstacles.contains(path);
    }

    /** Returns whether such an entry is above a path, or has it. */
    boolean isBelowOneInTheWay(TreePath path) {
        for (TreePath at = path; !obstacles.isEmpty() && !at.isRoot(); at = at.parent()) {
            if (obstacles.contains(at)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether entries are to be removed, other than those in the way of others. */
    boolean isAnyPlanned() {
        return plannedCount() + obstacleContent > 0;
    }

    /**
     * Refuses removals that look like those of a source that is not mounted, or is listed short.
     *
     * @param paired number of entries that both sides have
     * @param isEmpty whether the source is empty
     * @param approved the number of removals that an earlier comparison found plausible, including those of entries
     *        that it expected to be renamed; 0 if there was none
     */
    void check(long paired, boolean isEmpty, SyncPlace place, long approved) throws CopyRefusedException {
        long count = plannedCount() + obstacleContent;
        if (!options.deletes() || count == 0 || options.isForced()) {
            return;
        }
        ByteString source = place.pair().source().path();
        if (place.isOfDirectory() && isEmpty) {
            throw new CopyRefusedException("the source '" + source + "' is empty, so --delete would remove "
                    + entries(count) + " of '" + root + "'; mount the source, or add --force if it is right");
        }
        long total = paired + count;
        if (count > approved && total >= LEAST_ENTRIES && count > total / 2) {
            throw new CopyRefusedException(
                    "--delete would remove " + entries(count) + " of '" + root + "', more than half of all " + total
                            + "; check the source '" + source + "', or add --force if it is right");
        }
    }

    private static String entries(long count) {
        return count + (count == 1 ? " entry" : " entries");
    }

    /** Removes the entries that are in the way of others. */
    void makeWay() {
        remove(this::forEachInTheWay, inTheWay.count(), Long.MAX_VALUE, new Cancellation());
    }

    /** Removes the entries that only the destination has. */
    void remove(Cancellation cancellation) {
        if (isListed) {
            remove(this::forEachPlanned, planned.count(), options.mostRemovals() - done, cancellation);
        }
    }

    private void forEachInTheWay(Consumer<List<Found>> consumer) {
        inTheWay.forEachPortion(PORTION, consumer);
    }

    private void remove(Consumer<Consumer<List<Found>>> entries, long count, long most, Cancellation cancellation) {
        if (count == 0) {
            return;
        }
        try (Remover remover = new Remover(calls, root)) {
            long[] left = {most};
            Set<TreePath> notEmpty = new HashSet<>();
            entries.accept(portion -> {
                for (Found one : portion) {
                    if (left[0] <= 0) {
                        kept++;
                    } else if (!cancellation.isCancelled() && !notEmpty.contains(one.path())) {
                        left[0] -= remove(remover, one, notEmpty, cancellation) ? 1 : 0;
                    } else {
                        staysIn(one, notEmpty);
                    }
                }
            });
        }
    }

    private static void staysIn(Found one, Set<TreePath> notEmpty) {
        if (!one.path().isRoot()) {
            notEmpty.add(one.path().parent());
        }
    }

    private boolean remove(Remover remover, Found one, Set<TreePath> notEmpty, Cancellation cancellation) {
        if (!obstacles.contains(one.path())) {
            reporter.report(Change.removal(one.path(), one.kind()));
        }
        if (cancellation.isCancelled()) {
            // By the listener, before the change is made.
            return false;
        }
        try {
            boolean isRemoved = remove(remover, one) == Remover.Outcome.REMOVED;
            if (isRemoved) {
                removed.accept(one.path());
            }
            done += isRemoved && !obstacles.contains(one.path()) ? 1 : 0;
            return isRemoved;
        } catch (SystemCallException e) {
            staysIn(one, notEmpty);
            failed.accept(Remover.failure(root, one.path(), e));
            return false;
        }
    }

    // A file has the time of the source if this run has set it by another name.
    private Remover.Outcome remove(Remover remover, Found one) throws SystemCallException {
        try {
            return remover.remove(one);
        } catch (SystemCallException e) {
            Mark mark = e.errno() == Errno.ESTALE ? retimed.get(one.target().inode()) : null;
            if (mark == null) {
                throw e;
            }
            return remover.remove(new Found(one.path(), one.kind(), Mark.NONE, mark));
        }
    }

    /** Reports the removals of a dry run. */
    void reportAll() {
        report(this::forEachInTheWay, Long.MAX_VALUE);
        if (isListed) {
            report(this::forEachPlanned, options.mostRemovals() - done);
        }
    }

    private void report(Consumer<Consumer<List<Found>>> entries, long most) {
        long[] left = {most};
        entries.accept(portion -> {
            for (Found one : portion) {
                if (obstacles.contains(one.path())) {
                    continue;
                }
                if (left[0]-- <= 0) {
                    kept++;
                } else {
                    reporter.report(Change.removal(one.path(), one.kind()));
                    done++;
                }
            }
        });
    }

    /**
     * Returns the number of entries that were removed, or would be in a dry run; without those in the way of others.
     */
    long done() {
        return done;
    }

    /** Returns the number of entries that stay because of the limit of removals. */
    long kept() {
        return kept;
    }

    /** Returns whether existing entries go, also those in the way of others, and also if they are renamed. */
    boolean isAny() {
        return planned.count() + inTheWay.count() > 0;
    }

    /** Returns the directories in which entries were removed. */
    Spool changedDirectories() {
        return changedDirectories;
    }

    @Override
    public void close() {
        List.of(planned, inTheWay, changedDirectories).forEach(Spool::close);
        if (candidates != null) {
            candidates.close();
        }
    }
}
