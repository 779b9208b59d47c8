// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.compare.select.PairConditions;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.EntryFilter;

/**
 * Walks the first tree and looks up each entry in the second. When a directory of the first tree is entered, its
 * counterpart in the second is listed; names in that listing that were not looked up when the directory is left exist
 * only in the second tree.
 */
final class CompareHandler implements WalkHandler<PairedDirectory> {

    private final ComparisonRun run;
    private final PairComparison comparison;
    private final SecondTree secondTree;
    // Null if each entry is compared by itself.
    private final @Nullable EqualFiles equalFiles;
    // Whether the status of an entry must be that of the moment when the entry is compared.
    private final boolean needsNewStatus;
    // Null if every entry is compared.
    private final @Nullable PairConditions conditions;

    CompareHandler(ComparisonRun run) {
        this.run = run;
        this.comparison = new PairComparison(run);
        this.secondTree = new SecondTree(run);
        this.equalFiles = EqualFiles.areKnown(run) ? new EqualFiles(run) : null;
        // The user of a comparison with a copy changes what differs, and the data of earlier entries may take long.
        this.needsNewStatus = run.isOfCopy() || run.options().compares(DifferenceKind.CONTENT);
        this.conditions = run.isSelective()
                ? new PairConditions(run.options().where(), run.root(Side.A), run.root(Side.B))
                : null;
    }

    @Override
    public Step entry(FoundEntry<PairedDirectory> found) {
        try {
            WalkDirectory<PairedDirectory> parent = found.parent();
            if (conditions == null) {
                run.progress().entryDone();
            }
            return parent == null ? root(found) : child(found, parent);
        } catch (SideException e) {
            run.failed(found.path(), e);
            return Step.SKIP;
        }
    }

    @Override
    public boolean readsAhead() {
        return equalFiles != null;
    }

    // Those of files whose data are compared are read when the files are open.
    @Override
    public boolean seesAhead() {
        return !run.options().compares(DifferenceKind.CONTENT);
    }

    @Override
    public int readAhead(WalkDirectory<PairedDirectory> directory, WalkWorker<PairedDirectory> worker, int count) {
        if (equalFiles == null || !equalFiles.isToTry()) {
            return 0;
        }
        try {
            int directoryB = secondTree.hold(directory.attachment(), worker.access());
            return equalFiles.find(directory, worker, directoryB, count);
        } catch (SideException e) {
            // Each of the entries tries again, and reports it.
            return 0;
        }
    }

    private Step root(FoundEntry<PairedDirectory> found) throws SideException {
        if (run.isOfEntries() && found.number() < 0) {
            // The root is only on the way to selected entries.
            return Step.CONTINUE;
        }
        FileStatus a = status(found);
        boolean followA = run.isOfCopy() ? found.isFollowed() : run.followsRoots();
        // Entries below a root are reached through the root's path, even if that is a symbolic link.
        boolean followB = run.isOfCopy() ? a.kind() == EntryKind.DIRECTORY : followA;
        FileAccess access = found.access();
        try (LongPath path = LongPath.of(access, run.root(Side.B))) {
            MemorySegment name = access.name(path.rest());
            FileStatus b = access.status(path.base(), name, followB);
            return compare(new EntryPair(found, found.parentDescriptor(), found.name(), a, path.base(), name, b,
                    followA, followB));
        } catch (SystemCallException e) {
            if (run.isOfCopy() && e.errno() == Errno.ENOENT) {
                run.onlyInA(found.path(), a);
                return Step.SKIP;
            }
            // A missing root that the user gave did not vanish.
            run.failed(EntryFailure.of(run.root(Side.B), TreePath.root(), e));
            return Step.SKIP;
        }
    }

    private Step child(FoundEntry<PairedDirectory> found, WalkDirectory<PairedDirectory> parent) throws SideException {
        PairedDirectory paired = parent.attachment();
        NameTable names = paired.names();
        NameTable.Mark mark = names == null
                ? NameTable.Mark.ABSENT
                : names.mark(found.nameBytes(), 0, found.nameLength());
        if (mark == NameTable.Mark.AGAIN) {
            return Step.SKIP;
        }
        if (needsNewStatus) {
            found.forgetAhead();
        }
        FileStatus a = status(found);
        int directory = secondTree.hold(paired, found.access());
        // Links are followed only on the way to a selected path.
        boolean followB = found.isFollowed() && !run.isOfCopy();
        FileStatus b = secondTree.find(found.access(), directory, found.name(), followB);
        boolean isListed = names == null || mark == NameTable.Mark.FIRST;
        boolean isListingWhole = names == null || names.isComplete();
        if (b != null && !isListed && isListingWhole) {
            paired.addUnlisted();
        }
        if (b == null || isExcluded(found.path(), a, b)) {
            if (b == null && mark == NameTable.Mark.FIRST) {
                throw SecondTree.vanished();
            }
            if (isListingWhole) {
                onlyInA(found, a);
            }
            return Step.SKIP;
        }
        if (!isListed && isListingWhole) {
            // The entry is newer than the listing, or the listing omitted it, as on a broken server. In both cases the
            // listing did not show everything.
            run.failed(found.path(), SideException.changed(Side.B, "listing"));
        }
        return compare(new EntryPair(found, found.parentDescriptor(), found.name(), a, directory, found.name(), b,
                found.isFollowed(), followB));
    }

    private Step compare(EntryPair pair) throws SideException {
        if (conditions == null) {
            return comparison.compare(pair);
        }
        TreePath path = pair.found().path();
        boolean isSameKind = pair.a().kind() == pair.b().kind();
        if (isWanted(pair.found()) || isWanted(new PairConditions.Second(pair.found().access(), pair.directoryB(),
                pair.nameB(), pair.b(), path, pair.followB()))) {
            run.progress().entryDone();
            comparison.compare(pair);
        }
        if (!isSameKind) {
            noteOneSided(Side.A, path, pair.a());
            noteOneSided(Side.B, path, pair.b());
        }
        return isSameKind ? Step.CONTINUE : Step.SKIP;
    }

    private boolean isWanted(FoundEntry<?> first) throws SideException {
        try {
            return conditions == null || conditions.areMetBy(first);
        } catch (SystemCallException e) {
            throw SideException.of(Side.A, e);
        }
    }

    private boolean isWanted(PairConditions.Second second) throws SideException {
        try {
            return conditions == null || conditions.areMetBy(second);
        } catch (SystemCallException e) {
            throw SideException.of(Side.B, e);
        }
    }

    private void onlyInA(FoundEntry<PairedDirectory> found, FileStatus a) throws SideException {
        if (isWanted(found)) {
            if (conditions != null) {
                run.progress().entryDone();
            }
            run.onlyInA(found.path(), a);
        }
        noteOneSided(Side.A, found.path(), a);
    }

    private void onlyInB(FileAccess access, int directory, MemorySegment name, TreePath path, FileStatus b)
            throws SideException {
        if (isWanted(new PairConditions.Second(access, directory, name, b, path, false))) {
            run.onlyInB(path, b);
        }
        noteOneSided(Side.B, path, b);
    }

    private void noteOneSided(Side side, TreePath path, FileStatus status) {
        if (conditions != null && status.kind() == EntryKind.DIRECTORY) {
            run.isOneSided(side, path);
        }
    }

    // A pattern for directories may exclude one side of a pair and not the other; then the other side has no
    // counterpart.
    private boolean isExcluded(TreePath path, FileStatus walked, FileStatus other) {
        EntryFilter filter = run.options().filter();
        return !filter.equals(EntryFilter.none()) && walked.kind() != other.kind()
                && filter.excludes(path, other.kind() == EntryKind.DIRECTORY);
    }

    @Override
    public boolean missing(FoundEntry<PairedDirectory> found) {
        try {
            PairedDirectory paired = Objects.requireNonNull(found.parent()).attachment();
            int directory = secondTree.hold(paired, found.access());
            FileStatus b = secondTree.find(found.access(), directory, found.name(), false);
            if (b == null) {
                return run.acceptsMissing();
            }
            if (!run.options().filter().excludes(found.path(), b.kind() == EntryKind.DIRECTORY)) {
                onlyInB(found.access(), directory, found.name(), found.path(), b);
            }
            return true;
        } catch (SideException e) {
            run.failed(found.path(), e);
            return true;
        }
    }

    @Override
    public @Nullable PairedDirectory enter(WalkDirectory<PairedDirectory> directory,
            WalkWorker<PairedDirectory> worker) {
        try {
            return secondTree.enter(directory, worker);
        } catch (SideException e) {
            run.failed(directory.path(), e);
            return null;
        }
    }

    @Override
    public void leave(WalkDirectory<PairedDirectory> directory, WalkWorker<PairedDirectory> worker) {
        run.progress().directoryDone();
        if (!directory.isAttached()) {
            return;
        }
        PairedDirectory paired = directory.attachment();
        NameTable names = paired.names();
        if (names != null) {
            // Entries missing from a truncated listing are unknown on that side, not absent. The user of a comparison with
            // a copy removes what only the copy has, so its names must be those of no other pair.
            boolean isKnown = names.isComplete() && !directory.isIncomplete();
            if (isKnown && !(run.isOfCopy() && paired.hasUnlisted())) {
                names.forEachUnmarked((name, kind) -> lookUpInA(directory, paired, name, kind, worker.access()));
            }
            run.discard(names);
        }
        secondTree.leave(paired, directory.parent() == null);
    }

    // The name was in the second tree's listing, but not in the first tree's.
    private void lookUpInA(WalkDirectory<PairedDirectory> directory, PairedDirectory paired, byte[] name,
            @Nullable EntryKind kind, FileAccess access) {
        TreePath path = directory.path().child(name);
        EntryFilter filter = run.options().filter();
        boolean isFiltered = !filter.equals(EntryFilter.none());
        if (isFiltered && kind != null && filter.excludes(path, kind == EntryKind.DIRECTORY) || run.isUnknownInA()) {
            return;
        }
        try {
            int directoryB = secondTree.hold(paired, access);
            MemorySegment entryName = rootName(access, name);
            FileStatus b = secondTree.listed(access, directoryB, entryName);
            if (isFiltered && kind == null && filter.excludes(path, b.kind() == EntryKind.DIRECTORY)) {
                return;
            }
            FileStatus a = statusInA(directory, access, entryName);
            if (a != null && run.isOfCopy() && !run.options().where().isAll()) {
                // It does not meet the conditions, or is new.
                return;
            }
            if (a != null && !isExcluded(path, b, a)) {
                throw SideException.changed(Side.A, "listing");
            }
            onlyInB(access, directoryB, entryName, path, b);
        } catch (SideException e) {
            run.failed(path, e);
        }
    }

    private static MemorySegment rootName(FileAccess access, byte[] name) throws SideException {
        try {
            return access.rootName(name);
        } catch (SystemCallException e) {
            throw SideException.of(Side.B, e);
        }
    }

    private static @Nullable FileStatus statusInA(WalkDirectory<PairedDirectory> directory, FileAccess access,
            MemorySegment name) throws SideException {
        try {
            int descriptor = directory.handle().acquire(access);
            try {
                return access.find(descriptor, name, false);
            } finally {
                directory.handle().release();
            }
        } catch (SystemCallException e) {
            throw SideException.of(Side.A, e);
        }
    }

    @Override
    public void childFailed(FoundEntry<PairedDirectory> found, EntryFailure failure) {
        WalkDirectory<PairedDirectory> parent = found.parent();
        NameTable names = parent == null ? null : parent.attachment().names();
        if (names != null) {
            // The first tree had the entry, so that the second does not have it alone, even if it has vanished.
            names.mark(found.nameBytes(), 0, found.nameLength());
        }
        run.failed(failure);
    }

    @Override
    public void failed(EntryFailure failure) {
        run.failed(failure);
    }

    private static FileStatus status(FoundEntry<PairedDirectory> found) throws SideException {
        try {
            // The walk has not read the status of entries that were selected alone.
            return found.number() >= 0 && found.parent() != null && found.isFollowed()
                    ? found.access().followedStatus(found.parentDescriptor(), found.name())
                    : found.status();
        } catch (SystemCallException e) {
            throw SideException.of(Side.A, e);
        }
    }

    @Override
    public void idle(WalkWorker<PairedDirectory> worker) {
        secondTree.letGo();
    }

    @Override
    public void finished(WalkWorker<PairedDirectory> worker) {
        secondTree.letGo();
    }
}
