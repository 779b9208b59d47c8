// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.DifferenceListener;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.sync.Found.Mark;

/** Sorts what the comparison finds by the work that it needs, and keeps it in files. Safe for any number of threads. */
final class FoundChanges implements DifferenceListener.WithStatus, AutoCloseable {

    private final SyncOptions options;
    private final Scope scope;
    private final Owners owners;
    private final Reporter reporter;
    private final Spool copies;
    private final Spool linked;
    private final Spool attributes;
    private final Spool obstacles;
    private final Spool extras;
    private final Spool parted;
    private final Spool missing;
    private final Spool newOnTheWay;
    private final Spool goneOnTheWay;
    private final Spool extrasBelow;
    // Names of files with several names; the comparison keeps these files in memory too.
    private final Set<TreePath> updatedNames = ConcurrentHashMap.newKeySet();
    private final Set<TreePath> partedNames = ConcurrentHashMap.newKeySet();
    private final Map<Long, Mark> retimed = new ConcurrentHashMap<>();
    private final LongAdder onlyInSource = new LongAdder();
    private final LongAdder newDirectories = new LongAdder();
    private final LongAdder replaced = new LongAdder();

    /**
     * Creates an empty collection.
     *
     * @param temporary the directory of its files
     */
    FoundChanges(SyncOptions options, Scope scope, Owners owners, Reporter reporter, Path temporary) {
        this.options = options;
        this.scope = scope;
        this.owners = owners;
        this.reporter = reporter;
        this.copies = new Spool(temporary);
        this.linked = new Spool(temporary);
        this.attributes = new Spool(temporary);
        this.obstacles = new Spool(temporary);
        this.extras = new Spool(temporary);
        this.parted = new Spool(temporary);
        this.missing = new Spool(temporary);
        this.newOnTheWay = new Spool(temporary);
        this.goneOnTheWay = new Spool(temporary);
        this.extrasBelow = new Spool(temporary);
    }

    /** Returns the entries to copy, except those in {@link #linked()}. */
    Spool copies() {
        return copies;
    }

    /** Returns the entries to copy whose files have several names, which must be copied together. */
    Spool linked() {
        return linked;
    }

    /** Returns the existing entries that only get attributes. */
    Spool attributes() {
        return attributes;
    }

    /** Returns the entries of the destination that are in the way of an entry of another kind. */
    Spool obstacles() {
        return obstacles;
    }

    /** Returns the entries that only the destination has; a directory represents everything below it. */
    Spool extras() {
        return extras;
    }

    /** Returns whether a name is among {@link #linked()} only because it belongs to another file than in the source. */
    boolean isParted(TreePath path) {
        return !partedNames.isEmpty() && partedNames.contains(path);
    }

    /** Returns a spool for the names of files that are still separate after {@link #linked()} was copied. */
    Spool parted() {
        return parted;
    }

    /** Returns the listed paths that the source does not have, in a run that removes nothing. */
    Spool missing() {
        return missing;
    }

    /** Returns the directories on the way to listed paths that only the source has. */
    Spool newOnTheWay() {
        return newOnTheWay;
    }

    /** Returns the entries on the way to listed paths that only the destination has. */
    Spool goneOnTheWay() {
        return goneOnTheWay;
    }

    /** Returns the listed entries below {@link #goneOnTheWay}. */
    Spool extrasBelow() {
        return extrasBelow;
    }

    /** Returns the marks that files with several names have once they have got the times of the source, by inode. */
    Map<Long, Mark> retimed() {
        return retimed;
    }

    /** Returns the number of entries that only the source has; a directory counts once. */
    long onlyInSource() {
        return onlyInSource.sum();
    }

    /** Returns the number of directories that only the source has, without those below them. */
    long newDirectories() {
        return newDirectories.sum();
    }

    /** Returns the number of existing entries to copy again. */
    long replaced() {
        return replaced.sum();
    }

    /** Returns whether existing entries are copied again, also those that only become names of other files. */
    boolean isAnyReplaced() {
        return replaced() > 0 || !partedNames.isEmpty();
    }

    /** Returns the number of entries to copy that are not directories, nor below a new one. */
    long copiedAlone() {
        return copies.count() + linked.count() - newDirectories();
    }

    @Override
    public boolean isOfEqualPairs() {
        return options.check() == SyncOptions.Check.NONE;
    }

    // The other kinds arrive with the status of the entries.
    @Override
    public void onDifference(Difference difference) {
        // A name that is copied again becomes the right link; its line is printed.
        if (difference.kind() == DifferenceKind.HARD_LINKS && !updatedNames.contains(difference.path())) {
            linked.add(new Found(difference.path(), EntryKind.REGULAR, Mark.NONE, Mark.NONE));
            partedNames.add(difference.path());
            reporter.report(
                    new Change(Change.Action.LINK, difference.path(), EntryKind.REGULAR, Set.of(), Optional.empty()));
        }
    }

    @Override
    public void onPair(TreePath path, FileStatus a, FileStatus b, Set<DifferenceKind> kinds) {
        EntryKind kind = a.kind();
        if (kinds.contains(DifferenceKind.KIND)) {
            obstacles.add(new Found(path, b.kind(), Mark.NONE, Mark.of(b)));
            create(path, a);
            return;
        }
        Set<DifferenceKind> differing = EnumSet.noneOf(DifferenceKind.class);
        differing.addAll(kinds);
        owners.retain(differing, a, b);
        // Other names of the file are in earlier copies, which must not change.
        boolean isShared = options.earlier().isAny() && kind != EntryKind.DIRECTORY && b.linkCount() > 1;
        boolean isCopied = isCopied(kind, differing) || isShared && !differing.isEmpty();
        boolean areTimesKept = options.copy().preserves(Preserve.TIMESTAMPS);
        if (!areTimesKept && !isCopied) {
            differing.remove(DifferenceKind.MTIME);
        }
        if (!isCopied && differing.isEmpty()) {
            return;
        }
        if (isCopied && kind == EntryKind.REGULAR && options.check() == SyncOptions.Check.CONTENT) {
            // With another size the data were not compared, but they differ.
            differing.add(DifferenceKind.CONTENT);
        }
        Found found = new Found(path, kind, Mark.of(a), Mark.of(b));
        if (isCopied) {
            if (isLinked(a)) {
                updatedNames.add(path);
            }
            (isLinked(a) ? linked : copies).add(found);
            replaced.increment();
        } else {
            attributes.add(found);
            if (kind != EntryKind.DIRECTORY && b.linkCount() > 1 && differing.contains(DifferenceKind.MTIME)) {
                retimed.put(b.inode(), new Mark(b.inode(), b.size(), a.mtimeSeconds(), a.mtimeNanos()));
            }
        }
        reporter.report(isCopied ? Change.Action.UPDATE : Change.Action.ATTRIBUTES, path, kind, differing);
    }

    private boolean isCopied(EntryKind kind, Set<DifferenceKind> differing) {
        return switch (kind) {
            case REGULAR -> switch (options.check()) {
                case NONE -> true;
                case SIZE_ONLY -> differing.contains(DifferenceKind.SIZE);
                case SIZE_AND_TIME ->
                    differing.contains(DifferenceKind.SIZE) || differing.contains(DifferenceKind.MTIME);
                case CONTENT -> differing.contains(DifferenceKind.SIZE) || differing.contains(DifferenceKind.CONTENT);
            };
            case SYMLINK -> differing.contains(DifferenceKind.LINK_TARGET);
            case BLOCK, CHARACTER -> differing.contains(DifferenceKind.DEVICE);
            case DIRECTORY, FIFO, SOCKET -> false;
        };
    }

    @Override
    public void onOnlyInFirst(TreePath path, FileStatus a) {
        onlyInSource.increment();
        create(path, a);
    }

    private void create(TreePath path, FileStatus a) {
        if (a.kind() == EntryKind.DIRECTORY && (scope.isSelective() || scope.isOnTheWay(path))) {
            newOnTheWay.add(new Found(path, a.kind(), Mark.of(a), Mark.NONE));
        } else {
            onlyInFirst(path, a);
        }
    }

    /** Adds an entry that only the source has, with everything below it. */
    void onlyInFirst(TreePath path, FileStatus a) {
        (isLinked(a) ? linked : copies).add(new Found(path, a.kind(), Mark.of(a), Mark.NONE));
        if (a.kind() == EntryKind.DIRECTORY) {
            newDirectories.increment();
        }
        boolean isListedLater = options.listsNew() && (a.kind() == EntryKind.DIRECTORY || options.seeksNew());
        if (!isListedLater) {
            reporter.report(Change.Action.CREATE, path, a.kind(), Set.of());
        }
    }

    private boolean isLinked(FileStatus a) {
        return a.kind() != EntryKind.DIRECTORY && a.linkCount() > 1 && options.copy().preserves(Preserve.LINKS);
    }

    @Override
    public void onOnlyInSecond(TreePath path, FileStatus b) {
        Found one = new Found(path, b.kind(), Mark.NONE, Mark.of(b));
        if (!options.deletes() && scope.isLookedUp(path)) {
            missing.add(one);
        } else {
            (scope.isOnTheWay(path) ? goneOnTheWay : extras).add(one);
        }
    }

    /** Adds a listed entry of which only the destination has the directory above it. */
    void onlyInSecondBelow(TreePath path, FileStatus b) {
        extrasBelow.add(new Found(path, b.kind(), Mark.NONE, Mark.of(b)));
    }

    /** Adds a directory alone that only the source has. */
    void newDirectory(TreePath path, FileStatus a) {
        newDirectories.increment();
        copies.add(new Found(path, EntryKind.DIRECTORY, Mark.of(a), Mark.NONE));
    }

    @Override
    public boolean isOfExtras() {
        return options.deletes();
    }

    // As with --delete-missing-args of rsync, a listed path that is gone is to be removed.
    @Override
    public boolean acceptsMissing() {
        return options.deletes();
    }

    @Override
    public void close() {
        List.of(copies, linked, attributes, obstacles, extras, parted, missing, newOnTheWay, goneOnTheWay, extrasBelow)
                .forEach(Spool::close);
    }
}
