// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
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
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;

/** One run: compares, checks, removes and copies. Used by one thread. */
final class SyncRun implements AutoCloseable {

    // So many paths are selected at once: at about 500 bytes each, with their marks, 50 MB.
    private static final int PORTION = 100_000;

    private static final int NEW_DIRECTORY = 0777;

    private final FileSystemCalls calls;
    private final SyncOptions options;
    private final SyncPlace place;
    private final EventListener listener;
    private final Progress progress;
    private final Cancellation cancellation;
    private final Reporter reporter;
    private final FoundChanges found;
    private final Removals removals;
    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
    private final AtomicBoolean hasOpenLinks = new AtomicBoolean();
    private final @Nullable LastSources lastSources;
    private boolean isComplete = true;
    private Duration compareTime = Duration.ZERO;
    private long copied;
    private long bytes;

    SyncRun(FileSystemCalls calls, SyncOptions options, SyncPlace place, ChangeListener changes, EventListener listener,
            Progress progress, Cancellation cancellation, Path temporary, @Nullable LastSources lastSources) {
        this.calls = calls;
        this.options = options;
        this.place = place;
        this.listener = listener;
        this.progress = progress;
        this.cancellation = cancellation;
        this.reporter = new Reporter(calls, place.pair(), options.listsBelow(), changes);
        this.found = new FoundChanges(options, Owners.ofThisProcess(), reporter, temporary);
        this.lastSources = lastSources;
        this.removals = new Removals(calls, options, place.pair().target(), reporter, this::failed, temporary);
    }

    SyncResult run() throws CopyRefusedException {
        progress.setPhase("comparing");
        long start = System.nanoTime();
        CompareResult compared = compare(comparison());
        compareTime = Duration.ofNanos(System.nanoTime() - start);
        boolean isDry = options.copy().dryRun();
        if (!compared.isComplete()) {
            return result(compared, false);
        }
        removals.list(found, cancellation);
        removals.check(compared.counts().entries() - found.onlyInSource(), compared.counts().entries(), place);
        if (lastSources != null && removals.isAnyPlanned() && !options.isForced()) {
            lastSources.check(place.pair(), this::notice);
        }
        NewEntries below = new NewEntries(calls, options, place.pair().source().path(), symlinks(), reporter);
        if (options.listsBelow()) {
            found.copies().forEachPortion(PORTION, portion -> below.list(portion, this::failed, cancellation));
        }
        progress.setPhase(isDry ? "" : "copying");
        if (!isDry && !cancellation.isCancelled()) {
            change();
        } else {
            removals.reportAll();
        }
        progress.setPhase("");
        // An empty source says nothing about where the next one must be.
        if (lastSources != null && !isDry && compared.counts().entries() > 1 && place.isOfDirectory()) {
            lastSources.remember(place.pair(), this::notice);
        }
        if (isDry) {
            copied = below.count() + found.copiedAlone();
        }
        return result(compared, true);
    }

    private SyncResult result(CompareResult compared, boolean isToEnd) {
        return new SyncResult(compared.counts().entries(), compareTime, copied, bytes, found.newDirectories(),
                found.attributes().count(), removals.done(), removals.kept(), failures,
                isToEnd && isComplete && !cancellation.isCancelled());
    }

    private void change() throws CopyRefusedException {
        if (!keepsBackups()) {
            isComplete = false;
            return;
        }
        makeMissing();
        removals.makeWay();
        if (options.deletion() == SyncOptions.Deletion.BEFORE) {
            removals.remove(cancellation);
        }
        CopyOptions copy = options.copy().toBuilder().symlinks(symlinks()).build();
        found.copies().forEachPortion(PORTION, portion -> copy(copy, portion));
        found.linked().forEachPortion(Integer.MAX_VALUE, portion -> copy(copy, portion));
        if (hasOpenLinks.get() && copy.preserves(Preserve.LINKS)) {
            linkToExisting(copy);
        }
        found.attributes().forEachPortion(PORTION, portion -> attributes(copy, portion));
        if (options.deletion() == SyncOptions.Deletion.AFTER && isComplete) {
            removals.remove(cancellation);
        }
        finishDirectories(copy);
    }

    // All before the first change: nothing is replaced or removed if something cannot be kept.
    private boolean keepsBackups() throws CopyRefusedException {
        ByteString directory = options.backup().orElse(null);
        if (directory == null || removals.planned().count() + removals.inTheWay().count() + found.replaced() == 0) {
            return true;
        }
        BackupTree backup = BackupTree.open(calls, directory, place, options.copy());
        for (Spool spool : List.of(found.copies(), found.linked(), removals.planned(), removals.inTheWay())) {
            spool.forEachPortion(PORTION, portion -> backup.keep(portion, listener, failures, cancellation));
        }
        return backup.isWhole();
    }

    // As rsync, with the mode of any new directory.
    private void makeMissing() throws CopyRefusedException {
        ByteString missing = place.missing().orElse(null);
        if (missing == null) {
            return;
        }
        try (FileAccess access = FileAccess.open(calls); LongPath path = LongPath.of(access, missing)) {
            int made = calls.mkdirat(path.base(), access.name(path.rest()), NEW_DIRECTORY);
            if (made != -Errno.EEXIST) {
                FileAccess.check("mkdir", made);
            }
        } catch (SystemCallException e) {
            throw new CopyRefusedException("the destination '" + missing + "': " + e.getMessage());
        }
    }

    private Symlinks symlinks() {
        return place.isContent() ? Symlinks.ROOTS : Symlinks.NEVER;
    }

    private CompareOptions comparison() {
        Set<DifferenceKind> kinds = EnumSet.of(DifferenceKind.ONLY_IN_A, DifferenceKind.ONLY_IN_B, DifferenceKind.SIZE,
                DifferenceKind.LINK_TARGET, DifferenceKind.DEVICE);
        CopyOptions copy = options.copy();
        if (copy.preserves(Preserve.TIMESTAMPS) || options.check() == SyncOptions.Check.SIZE_AND_TIME) {
            kinds.add(DifferenceKind.MTIME);
        }
        if (copy.preserves(Preserve.MODE)) {
            kinds.add(DifferenceKind.MODE);
        }
        if (copy.preserves(Preserve.OWNERSHIP)) {
            kinds.addAll(Set.of(DifferenceKind.OWNER, DifferenceKind.GROUP));
        }
        if (copy.preserves(Preserve.LINKS)) {
            kinds.add(DifferenceKind.HARD_LINKS);
        }
        if (copy.preserves(Preserve.XATTR)) {
            kinds.add(DifferenceKind.XATTR);
        }
        if (copy.preserves(Preserve.ACL)) {
            kinds.add(DifferenceKind.ACL);
        }
        if (options.check() == SyncOptions.Check.CONTENT) {
            kinds.add(DifferenceKind.CONTENT);
        }
        // A large file is compared by one thread, so that all its differences are known together.
        return CompareOptions.defaults()
                .ignoring(EnumSet.allOf(DifferenceKind.class))
                .comparing(kinds)
                .withModifyWindow(options.modifyWindow())
                .withOneFileSystem(copy.oneFileSystem())
                .withFilter(copy.filter())
                .withThreads(copy.threads())
                .withChunkBytes(Long.MAX_VALUE);
    }

    private CompareResult compare(CompareOptions comparison) {
        CompareResult result = TreeComparer.of(calls, comparison)
                .ofCopy(symlinks())
                .compare(place.pair().source(), place.pair().target(), found, listener, progress, cancellation);
        result.failures().forEach((kind, count) -> failures.merge(kind, count, Long::sum));
        return result;
    }

    private void copy(CopyOptions copy, List<Found> portion) {
        SelectedPaths selection = SelectedPaths.strict();
        for (Found one : portion) {
            if (!removals.isBlocked(one.path())) {
                selection.add(one.path());
            }
        }
        copy(copy, selection);
    }

    private void copy(CopyOptions copy, SelectedPaths selection) {
        if (cancellation.isCancelled() || !isComplete) {
            isComplete = false;
            return;
        }
        CopyPair part = new CopyPair(Root.of(place.pair().source().path(), selection), place.pair().target());
        Progress.Snapshot before = progress.snapshot();
        CopyResult result = TreeCopier.of(calls, copy)
                .copy(List.of(part), listener, progress, cancellation, () -> hasOpenLinks.set(true));
        result.failures().forEach((kind, count) -> failures.merge(kind, count, Long::sum));
        isComplete &= result.isComplete();
        if (!copy.attributesOnly()) {
            Progress.Snapshot after = progress.snapshot();
            copied += after.entries() - after.directories() - before.entries() + before.directories();
            bytes += after.bytes() - before.bytes();
        }
    }

    // A new name of a file whose other names were equal before was copied alone. Names that exist are not copied again.
    private void linkToExisting(CopyOptions copy) {
        Spool parted = found.parted();
        CompareOptions links = comparison().ignoring(EnumSet.complementOf(EnumSet.of(DifferenceKind.HARD_LINKS)));
        TreeComparer.of(calls, links)
                .ofCopy(symlinks())
                .compare(place.pair().source(), place.pair().target(), difference -> {
                    if (difference.kind() == DifferenceKind.HARD_LINKS) {
                        parted.add(new Found(difference.path(), EntryKind.REGULAR, Mark.NONE, Mark.NONE));
                    }
                }, listener, new Progress(), cancellation);
        CopyOptions kept = copy.toBuilder().existing(CopyOptions.Existing.UPDATE).build();
        parted.forEachPortion(Integer.MAX_VALUE, portion -> copy(kept, portion));
    }

    private void attributes(CopyOptions copy, List<Found> portion) {
        SelectedPaths selection = SelectedPaths.strict();
        Map<TreePath, Found> expected = new HashMap<>();
        for (Found one : portion) {
            if (one.kind() == EntryKind.DIRECTORY) {
                selection.addDirectory(one.path());
            } else {
                selection.add(one.path());
                expected.put(one.path(), one);
            }
        }
        copy(copy.toBuilder().attributesOf((path, source, target) -> {
            Found one = expected.get(path);
            return one != null && one.source().isOf(source) && one.target().isOf(target);
        }).build(), selection);
    }

    // Removing an entry changed the times of the directory above it.
    private void finishDirectories(CopyOptions copy) {
        removals.changedDirectories().forEachPortion(PORTION, portion -> {
            SelectedPaths selection = SelectedPaths.strict();
            portion.forEach(one -> selection.addDirectory(one.path()));
            copy(copy, selection);
        });
    }

    private void notice(String text) {
        listener.onEvent(new Event.Notice(text));
    }

    private void failed(EntryFailure failure) {
        failures.merge(failure.kind(), 1L, Long::sum);
        progress.entryFailed();
        listener.onEvent(new Event.Failed(failure));
    }

    @Override
    public void close() {
        found.close();
        removals.close();
    }
}
