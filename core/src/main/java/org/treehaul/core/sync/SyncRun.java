// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.links.EarlierCopies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.sync.Found.Mark;
import org.treehaul.core.sync.renames.OnlyRenames;
import org.treehaul.core.sync.renames.Renames;
import org.treehaul.core.walk.options.PathList;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;

/** One run: compares, checks, removes and copies. Used by one thread. */
final class SyncRun implements AutoCloseable {

    // So many paths are selected at once: at about 500 bytes each, with their marks, 50 MB.
    private static final int PORTION = 100_000;

    private final FileSystemCalls calls;
    private final SyncOptions options;
    private final SyncPlace place;
    private final Scope scope;
    private final Comparison comparison;
    private final Progress progress;
    private final Cancellation cancellation;
    private final Reporter reporter;
    private final FoundChanges found;
    private final Removals removals;
    private final Reporter.Failures failures;
    private final @Nullable LastSources lastSources;
    private final @Nullable EarlierTrees earlier;
    private final Set<TreePath> linkedAgain = new HashSet<>();
    private @Nullable Renames renames;
    private @Nullable BackupTree backup;
    private boolean isComplete = true;
    private boolean hasOpenLinks;
    private boolean isOnlyRenaming;
    private Duration compareTime = Duration.ZERO;
    private long copied;
    private long bytes;
    private long newDirectories;
    private long taken;

    SyncRun(FileSystemCalls calls, SyncOptions options, SyncPlace place, @Nullable SelectedPaths list,
            ChangeListener changes, EventListener listener, Progress progress, Cancellation cancellation,
            Path temporary, @Nullable LastSources lastSources) throws CopyRefusedException {
        this.calls = calls;
        this.options = options;
        this.place = place;
        this.failures = new Reporter.Failures(listener);
        this.progress = progress;
        this.cancellation = cancellation;
        this.reporter = new Reporter(calls, place.pair(), options.listsBelow(), changes);
        this.scope = new Scope(place.pair().source().path(), list, options.copy().where());
        this.comparison = new Comparison(calls, options, scope, place.pair().target(), symlinks());
        Owners owners = Owners.ofThisProcess();
        if (options.detectsRenames()) {
            this.earlier = EarlierTrees.ofDestination(options, owners, place, this::notice, cancellation);
        } else {
            this.earlier = options.earlier().isAny()
                    ? EarlierTrees.of(calls, options, owners, place, this::notice, cancellation)
                    : null;
        }
        this.found = new FoundChanges(options, scope, owners, reporter, temporary);
        this.lastSources = lastSources;
        this.removals = new Removals(calls, options, scope, place, reporter, this::failed, this::removed, this::notice,
                temporary);
    }

    SyncResult run() throws CopyRefusedException {
        CompareResult compared = compare();
        boolean isDry = options.copy().dryRun();
        if (!compared.isComplete()) {
            return result(compared, false);
        }
        Checked checked = check(compared, 0);
        NewEntries below = checked.below();
        progress.setPhase(isDry ? "" : "copying");
        if (!isDry && !cancellation.isCancelled()) {
            change();
        } else {
            removals.reportAll();
        }
        progress.setPhase("");
        // An empty source says nothing about where the next one must be.
        long seen = Math.max(compared.counts().entries(), copied + newDirectories + taken);
        if (lastSources != null && !isDry && seen > 1 && place.isOfDirectory()) {
            lastSources.remember(place.pair(), this::notice);
        }
        if (isDry) {
            copied = below.count()
                    + (options.seeksNew() && options.listsNew() ? found.replaced() : found.copiedAlone());
            taken = below.taken();
            newDirectories = checked.listed().newDirectories()
                    + (options.listsNew() ? below.directories() : found.newDirectories());
        }
        return result(compared, true);
    }

    private NewEntries listNew() {
        EarlierTrees rules = earlier;
        if (options.detectsRenames() && rules != null && removals.isAnyPlanned()) {
            renames = new Renames(removals.candidates(), rules::open);
        }
        NewEntries below = new NewEntries(calls, options, scope, symlinks(), reporter,
                options.detectsRenames() ? null : rules, renames);
        if (options.listsNew()) {
            for (Spool spool : options.seeksNew() ? List.of(found.copies(), found.linked()) : List.of(found.copies())) {
                spool.forEachPortion(PORTION, portion -> below.list(portion, this::failed, cancellation));
            }
        }
        return below;
    }

    private CompareResult compare() {
        progress.setPhase("comparing");
        long start = System.nanoTime();
        CompareResult compared = comparison.all(found, failures, progress, cancellation);
        failures.add(compared.failures());
        compareTime = Duration.ofNanos(System.nanoTime() - start);
        return compared;
    }

    private record Checked(ListedEntries listed, NewEntries below) {}

    // Lists the removals, and refuses those that look wrong. Renamed entries are not removed.
    private Checked check(CompareResult compared, long approved) throws CopyRefusedException {
        ListedEntries listed = new ListedEntries(calls, options, place, scope, reporter, this::failed);
        listed.complete(found, cancellation);
        removals.list(found, cancellation);
        NewEntries below = listNew();
        boolean isEmpty = compared.counts().entries() <= 1 && removals.isAnyPlanned()
                && (!scope.isOfList() && !scope.isSelective() || listed.isSourceEmpty(cancellation));
        removals.check(compared.counts().entries() - found.onlyInSource(), isEmpty, place, approved);
        if (lastSources != null && removals.isAnyPlanned() && !options.isForced()) {
            lastSources.check(place.pair(), this::notice);
        }
        return new Checked(listed, below);
    }

    /**
     * Compares and checks as a run does, and lists what other processes can copy; see {@link TreeSync#survey}.
     *
     * @param renamed the new paths of the files to rename, which its changes were
     * @param approved the {@link #listedRemovals} of the comparison before the files were renamed; 0 for the first one
     * @return null if files were renamed, after which the trees must be compared again
     */
    TreeSync.@Nullable Survey survey(OutputStream list, Spool renamed, long approved) throws CopyRefusedException {
        CompareResult compared = compare();
        long count = 0;
        if (compared.isComplete()) {
            check(compared, approved);
            if (renamed.count() > 0) {
                rename(renamed);
                if (isComplete) {
                    return null;
                }
            }
            if (!place.isContent()) {
                place.makeMissing(calls);
            }
            count = write(list);
        }
        progress.setPhase("");
        SyncOptions used = options.withDetectedRenames(false)
                .withCopy(options.copy().toBuilder().symlinks(symlinks()).build());
        return new TreeSync.Survey(place.pair(), place.isOfDirectory(), used, compared.counts().entries(), count, 0,
                compared.isComplete() && isComplete && !cancellation.isCancelled());
    }

    // Files below an entry that is in the way of a directory are left to the copy.
    private void rename(Spool renamed) {
        progress.setPhase("renaming");
        CopyOptions copy = replacing();
        isOnlyRenaming = true;
        renamed.forEachPortion(PORTION, portion -> copy(copy,
                portion.stream().filter(one -> !removals.isBelowOneInTheWay(one.path())).toList()));
        isOnlyRenaming = false;
    }

    /** Returns the number of entries that only the destination has, including those that were renamed. */
    long listedRemovals() {
        return removals.listed();
    }

    /** Returns the number of files that were renamed. */
    long renamed() {
        return earlier == null ? 0 : earlier.taken();
    }

    // A file with several names needs a comparison with those that exist, in one process.
    private long write(OutputStream list) {
        long[] count = new long[1];
        found.copies().forEachPortion(PORTION, portion -> {
            for (Found one : portion) {
                if (isForOthers(one)) {
                    boolean isAlone = one.kind() == EntryKind.DIRECTORY && scope.isSelective();
                    PathList.writeMarked(list, one.path(), isAlone);
                    count[0]++;
                }
            }
        });
        return count[0];
    }

    // The others need something to be removed or kept first.
    private boolean isForOthers(Found one) {
        boolean isNew = one.target().equals(Mark.NONE);
        return !removals.isInTheWay(one.path()) && (isNew || options.backup().isEmpty());
    }

    private SyncResult result(CompareResult compared, boolean isToEnd) {
        return new SyncResult(compared.counts().entries(), compareTime, copied, bytes, newDirectories,
                options.detectsRenames() ? 0 : taken, options.detectsRenames() ? taken : 0, found.attributes().count(),
                removals.done(), removals.kept(), failures.counts(),
                isToEnd && isComplete && !cancellation.isCancelled());
    }

    private void change() throws CopyRefusedException {
        if (!keepsBackups()) {
            isComplete = false;
            return;
        }
        place.makeMissing(calls);
        removals.makeWay();
        if (options.deletion() == SyncOptions.Deletion.BEFORE) {
            removals.remove(cancellation);
        }
        CopyOptions copy = replacing();
        found.copies().forEachPortion(PORTION, portion -> copy(copy, portion));
        found.linked().forEachPortion(Integer.MAX_VALUE, portion -> copy(copy, portion));
        boolean isAnyParted = hasOpenLinks && copy.preserves(Preserve.LINKS);
        // Before an existing name becomes a link to a new one, which is another file than the one that was compared.
        found.attributes().forEachPortion(PORTION, portion -> attributes(copy, portion));
        if (isAnyParted) {
            linkToExisting(copy);
        }
        if (options.deletion() == SyncOptions.Deletion.AFTER && isComplete) {
            removals.remove(cancellation);
        }
        finishDirectories(copy);
    }

    // All before the first change: nothing is replaced or removed if something cannot be kept.
    private boolean keepsBackups() throws CopyRefusedException {
        ByteString directory = options.backup().orElse(null);
        if (directory == null || !removals.isAny() && !found.isAnyReplaced()) {
            return true;
        }
        BackupTree tree = BackupTree.open(calls, directory, place, options.copy());
        backup = tree;
        Consumer<List<Found>> keep = portion -> tree.keep(portion, failures, cancellation);
        found.copies().forEachPortion(PORTION, keep);
        found.linked().forEachPortion(PORTION, keep);
        removals.forEachPortion(keep);
        return tree.isWhole();
    }

    // Which of these names another file takes shows only after the copy. Returns whether all can be kept.
    private boolean keepsBackups(List<Found> old) {
        ByteString directory = options.backup().orElseThrow();
        try {
            BackupTree tree = backup == null ? BackupTree.open(calls, directory, place, options.copy()) : backup;
            backup = tree;
            tree.keep(old, failures, cancellation);
            return tree.isWhole();
        } catch (CopyRefusedException e) {
            failed(EntryFailure.of(directory, TreePath.root(),
                    new SystemCallException(String.valueOf(e.getMessage()), 0)));
            return false;
        }
    }

    // The names that this run has neither made nor replaced: only these have no backup yet, and need one.
    private List<Found> untouched(List<Found> names) {
        Set<TreePath> above = new HashSet<>();
        for (Found one : names) {
            for (TreePath at = one.path(); above.add(at) && !at.isRoot();) {
                at = at.parent();
            }
        }
        Set<TreePath> touched = new HashSet<>();
        Consumer<List<Found>> note = portion -> portion.stream()
                .map(Found::path)
                .filter(above::contains)
                .forEach(touched::add);
        found.copies().forEachPortion(PORTION, note);
        found.linked().forEachPortion(PORTION, note);
        return names.stream().filter(one -> !isWithin(touched, one.path())).toList();
    }

    private static boolean isWithin(Set<TreePath> places, TreePath path) {
        for (TreePath at = path;; at = at.parent()) {
            if (places.contains(at)) {
                return true;
            }
            if (at.isRoot()) {
                return false;
            }
        }
    }

    private Symlinks symlinks() {
        return place.isContent() ? Symlinks.ROOTS : Symlinks.NEVER;
    }

    // The destination has the entry itself, so nothing is written through a link, or into a device, that has its name.
    private CopyOptions replacing() {
        return options.copy().toBuilder().symlinks(symlinks()).takesNames(true).build();
    }

    private void copy(CopyOptions copy, List<Found> portion) {
        SelectedPaths selection = SelectedPaths.strict();
        boolean isAny = false;
        for (Found one : portion) {
            if (!removals.isBlocked(one.path())) {
                scope.select(selection, one);
                isAny = true;
            }
        }
        // An empty selection of a source that is not a directory would select it.
        if (isAny) {
            copy(copy, selection);
        }
    }

    private void copy(CopyOptions copy, SelectedPaths selection) {
        if (cancellation.isCancelled() || !isComplete) {
            isComplete = false;
            return;
        }
        CopyPair part = new CopyPair(scope.root(selection), place.pair().target());
        Progress.Snapshot before = progress.snapshot();
        CopyResult result = TreeCopier.of(calls, copy)
                .copy(List.of(part), failures, progress, cancellation, copy.attributesOnly() ? null : taking(),
                        (hasOpen, made) -> {
                            hasOpenLinks |= hasOpen;
                            newDirectories += made;
                        });
        failures.add(result.failures());
        isComplete &= result.isComplete();
        if (!copy.attributesOnly()) {
            Progress.Snapshot after = progress.snapshot();
            long more = earlier == null ? 0 : earlier.taken() - taken;
            taken += more;
            // Entries that were left out are not among those done.
            copied -= options.earlier().isLinked() ? more : 0;
            copied += after.entries() - after.directories() - before.entries() + before.directories();
            bytes += after.bytes() - before.bytes();
        }
    }

    private @Nullable EarlierCopies taking() {
        Renames made = renames;
        return !options.detectsRenames() ? earlier : isOnlyRenaming && made != null ? new OnlyRenames(made) : made;
    }

    // A new name of a file whose other names were equal before was copied alone. Names that exist are not copied again.
    private void linkToExisting(CopyOptions copy) {
        Spool parted = found.parted();
        boolean hasFailures = failures.isAny();
        // Entries that failed in the first comparison fail again, and were reported.
        CompareResult result = comparison.links(
                path -> parted.add(new Found(path, EntryKind.REGULAR, Mark.NONE, Mark.NONE)), hasFailures ? event -> {
                } : failures, cancellation);
        if (!hasFailures) {
            failures.add(result.failures());
        }
        CopyOptions kept = copy.toBuilder().existing(CopyOptions.Existing.UPDATE).build();
        parted.forEachPortion(Integer.MAX_VALUE, portion -> {
            List<Found> old = options.backup().isPresent() ? untouched(portion) : List.of();
            if (!old.isEmpty() && !keepsBackups(old)) {
                isComplete = false;
                return;
            }
            portion.forEach(one -> linkedAgain.add(one.path()));
            copy(kept, portion);
            if (!old.isEmpty()) {
                Objects.requireNonNull(backup).withdraw(old);
            }
        });
    }

    private void attributes(CopyOptions copy, List<Found> portion) {
        SelectedPaths selection = SelectedPaths.strict();
        Map<TreePath, Found> expected = new HashMap<>();
        for (Found one : portion) {
            if (one.kind() == EntryKind.DIRECTORY) {
                scope.selectDirectory(selection, one.path());
            } else if (!found.isParted(one.path())) {
                // A parted name was copied again, with all attributes.
                scope.select(selection, one.path());
                expected.put(one.path(), one);
            }
        }
        copy(copy.toBuilder().takesNames(false).attributesOf((path, source, target) -> {
            Found one = expected.get(path);
            return one != null && one.source().isOf(source)
                    && (one.target().isOf(target) || isLinkedAgain(path, source, target));
        }).build(), selection);
    }

    // Such a name may lead to another file than before, which this run has copied.
    private boolean isLinkedAgain(TreePath path, FileStatus source, FileStatus target) {
        return linkedAgain.contains(path) && source.size() == target.size()
                && source.mtimeSeconds() == target.mtimeSeconds();
    }

    // Removing an entry changed the times of the directory above it.
    private void finishDirectories(CopyOptions copy) {
        removals.changedDirectories().forEachPortion(PORTION, portion -> {
            SelectedPaths selection = SelectedPaths.strict();
            portion.forEach(one -> scope.selectDirectory(selection, one.path()));
            copy(copy, selection);
        });
    }

    private void notice(String text) {
        failures.onEvent(new Event.Notice(text));
    }

    private void removed(TreePath path) {
        if (options.copy().reportDone()) {
            failures.onEvent(new Event.Removed(path.below(place.pair().target())));
        }
    }

    private void failed(EntryFailure failure) {
        progress.entryFailed();
        failures.failed(failure);
    }

    @Override
    public void close() {
        found.close();
        removals.close();
    }
}
