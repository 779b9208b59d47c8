// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.PlannedFile;
import org.treehaul.core.plan.format.PlannedFollow;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchOutcome;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.RootedPath;
import org.treehaul.core.walk.options.Symlinks;

/**
 * Finds the places in the sources where a copy failed because an entry of another kind exists there now: a directory
 * instead of a file, anything else instead of a directory, or something other than a regular file instead of a large
 * file. Memory grows with the entries that failed and the directories above them. Used by one thread.
 */
final class ChangedKinds implements AutoCloseable {

    /** An entry to copy in place of planned entries. */
    static final class Change {
        private final List<RootedPath> places = new ArrayList<>();
        private final Map<Integer, Set<Integer>> entries = new LinkedHashMap<>();
        private final boolean isEntry;
        private final boolean isDirectory;

        private Change(RootedPath place, boolean isEntry, boolean isDirectory) {
            places.add(place);
            this.isEntry = isEntry;
            this.isDirectory = isDirectory;
        }

        /** Returns its place, and the further names of a large file that was planned there. */
        List<RootedPath> places() {
            return places;
        }

        /** Returns the indexes of the planned entries that it replaces, by batch. */
        Map<Integer, Set<Integer>> entries() {
            return entries;
        }

        /** Returns whether the plan has an entry there, as opposed to a directory. */
        boolean isEntry() {
            return isEntry;
        }

        /** Returns whether it is a directory now. */
        boolean isDirectory() {
            return isDirectory;
        }

        private void add(int batch, int index) {
            entries.computeIfAbsent(batch, number -> new HashSet<>()).add(index);
        }
    }

    private final FileAccess access;
    private final Plan plan;
    private final Symlinks symlinks;
    private final Set<PlannedFollow> followed;
    private final Set<RootedPath> directories = new HashSet<>();
    private final Map<RootedPath, Change> changes = new LinkedHashMap<>();

    ChangedKinds(FileSystemCalls calls, Plan plan, Symlinks symlinks) {
        this.access = FileAccess.open(calls);
        this.plan = plan;
        this.symlinks = symlinks;
        this.followed = new HashSet<>(plan.followed());
    }

    /** Returns the changes, according to the failures in the journals. */
    List<Change> find(TransferDirectory directory, FinishingHistory history) throws IOException {
        Attempts attempts = Attempts.atBatches(directory);
        Map<Integer, Integer> newest = attempts.newest();
        for (PlannedBatch batch : plan.batches()) {
            BatchOutcome outcome = BatchOutcome.read(attempts, batch.number(), newest.getOrDefault(batch.number(), 0),
                    history);
            if (outcome.tally().failed() > 0) {
                addFailed(batch.number(), outcome);
            }
        }
        Set<RootedPath> replaced = history.replaced(plan);
        FinishingHistory.noDirectories(Attempts.atFinishing(directory), reported -> addDirectory(reported, replaced));
        addNames(history, replaced);
        addChunks();
        return List.copyOf(changes.values());
    }

    private void addDirectory(EntryFailure reported, Set<RootedPath> replaced) {
        for (int root = 0; root < plan.header().roots().size(); root++) {
            RootedPath place = new RootedPath(root, reported.path());
            if (plan.header().roots().get(root).source().equals(reported.root()) && !place.isWithin(replaced)) {
                changedDirectory(place).ifPresent(at -> changes.computeIfAbsent(at, this::ofDirectory));
            }
        }
    }

    private void addFailed(int batch, BatchOutcome outcome) throws IOException {
        try (PlanRecords<ManifestEntry> manifest = plan.manifest(batch)) {
            for (ManifestEntry entry = manifest.next(); entry != null; entry = manifest.next()) {
                if (outcome.isFailed(entry.index())) {
                    Change change = change(entry);
                    if (change != null) {
                        change.add(batch, entry.index());
                    }
                }
            }
        }
    }

    private @Nullable Change change(ManifestEntry entry) {
        RootedPath place = new RootedPath(entry.root(), entry.path());
        Optional<RootedPath> above = entry.path().isRoot()
                ? Optional.empty()
                : changedDirectory(new RootedPath(entry.root(), entry.path().parent()));
        if (above.isPresent()) {
            return changes.computeIfAbsent(above.get(), this::ofDirectory);
        }
        Optional<EntryKind> kind = kind(place);
        boolean isDirectory = kind.filter(EntryKind.DIRECTORY::equals).isPresent();
        boolean isChanged = isDirectory
                || entry.chunk() != null && kind.filter(now -> now != EntryKind.REGULAR).isPresent();
        return isChanged ? changes.computeIfAbsent(place, at -> new Change(at, true, isDirectory)) : null;
    }

    private Change ofDirectory(RootedPath place) {
        return new Change(place, false, false);
    }

    private void addNames(FinishingHistory history, Set<RootedPath> replaced) throws IOException {
        if (!history.mayHaveChangedKinds()) {
            return;
        }
        try (PlanRecords<PlannedFile> files = plan.chunked()) {
            for (PlannedFile file = files.next(); file != null; file = files.next()) {
                for (PlannedFile.Name name : file.links()) {
                    RootedPath place = new RootedPath(name.root(), name.path());
                    if (history.mayBeChanged(plan.header().roots().get(name.root()).source(), name.path())
                            && !place.isWithin(replaced) && of(place) == null
                            && kind(place).filter(EntryKind.DIRECTORY::equals).isPresent()) {
                        changes.put(place, new Change(place, true, true));
                    }
                }
            }
        }
    }

    // Chunks of a file are in several batches, and some may be done; its further names are in no batch.
    private void addChunks() throws IOException {
        if (changes.isEmpty() || plan.totals().filter(totals -> totals.chunked() > 0).isEmpty()) {
            return;
        }
        try (PlanRecords<PlannedFile> files = plan.chunked()) {
            for (PlannedFile file = files.next(); file != null; file = files.next()) {
                Change change = of(new RootedPath(file.root(), file.path()));
                if (change != null) {
                    file.links()
                            .stream()
                            .map(name -> new RootedPath(name.root(), name.path()))
                            .filter(name -> of(name) == null)
                            .forEach(change.places::add);
                }
            }
        }
        for (PlannedBatch batch : plan.batches()) {
            try (PlanRecords<ManifestEntry> manifest = plan.manifest(batch.number())) {
                for (ManifestEntry entry = manifest.next(); entry != null; entry = manifest.next()) {
                    Change change = entry.chunk() == null ? null : of(new RootedPath(entry.root(), entry.path()));
                    if (change != null) {
                        change.add(batch.number(), entry.index());
                    }
                }
            }
        }
    }

    private @Nullable Change of(RootedPath place) {
        TreePath at = place.path();
        while (true) {
            Change change = changes.get(new RootedPath(place.root(), at));
            if (change != null || at.isRoot()) {
                return change;
            }
            at = at.parent();
        }
    }

    /** Returns the topmost of a directory and its parents that is no longer a directory. */
    private Optional<RootedPath> changedDirectory(RootedPath directory) {
        List<TreePath> way = new ArrayList<>();
        TreePath at = directory.path();
        while (!directories.contains(new RootedPath(directory.root(), at))) {
            way.add(at);
            if (at.isRoot()) {
                break;
            }
            at = at.parent();
        }
        for (TreePath path : way.reversed()) {
            RootedPath place = new RootedPath(directory.root(), path);
            Optional<EntryKind> kind = kind(place);
            if (kind.isEmpty()) {
                // The directory has vanished with everything below it.
                return Optional.empty();
            }
            if (kind.get() != EntryKind.DIRECTORY) {
                return Optional.of(place);
            }
            directories.add(place);
        }
        return Optional.empty();
    }

    // Returns the kind that the copy sees; an entry that cannot be examined counts as unchanged.
    private Optional<EntryKind> kind(RootedPath place) {
        boolean isFollowed = symlinks == Symlinks.ALWAYS || symlinks == Symlinks.ROOTS && place.path().isRoot()
                || followed.contains(new PlannedFollow(place.root(), place.path()));
        ByteString path = place.path().below(plan.header().roots().get(place.root()).source());
        try {
            return Optional.of(LongPath.status(access, path, isFollowed).kind());
        } catch (SystemCallException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        access.close();
    }
}
