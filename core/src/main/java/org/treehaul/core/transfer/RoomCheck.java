// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.plain.RoomShortage;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.FileSystemRoom;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.PlannedRoom;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.operation.CopySettings;

/**
 * Checks whether the planned entries fit into the file systems of the destination, according to statfs(2). It examines
 * existing destination files, which the copy replaces or skips, only if they may change the result. Used by one thread.
 */
public final class RoomCheck {

    private final FileAccess access;
    private final Plan plan;
    private final CopyOptions options;
    private final boolean isRoot;
    private @Nullable Map<Long, Saved> saved;

    private RoomCheck(FileAccess access, Plan plan, CopyOptions options, boolean isRoot) {
        this.access = access;
        this.plan = plan;
        this.options = options;
        this.isRoot = isRoot;
    }

    /** Existing destination files that are replaced or not written. */
    private static final class Saved {
        private long bytes;
        private long files;

        RoomShortage.Saved sum() {
            return new RoomShortage.Saved(bytes, files);
        }
    }

    /**
     * Checks all file systems that a plan writes to.
     *
     * @param plan a sealed plan
     * @throws IOException if the plan cannot be read; a file system that cannot be queried is skipped
     */
    public static List<RoomShortage> of(FileSystemCalls calls, Plan plan) throws IOException {
        CopyOptions options;
        try {
            options = CopySettings.parse(plan.header().settings());
        } catch (IllegalArgumentException e) {
            throw new TransferException("the plan in " + plan.directory() + " cannot be carried out: " + e.getMessage(),
                    e);
        }
        List<RoomShortage> shortages = new ArrayList<>();
        try (FileAccess access = FileAccess.open(calls)) {
            RoomCheck check = new RoomCheck(access, plan, options, ProcessStatus.read().effectiveUid() == 0);
            for (PlannedRoom room : plan.room()) {
                try {
                    check.look(room, shortages);
                } catch (SystemCallException e) {
                    // The copy will report the error.
                }
            }
        }
        return shortages;
    }

    private void look(PlannedRoom planned, List<RoomShortage> shortages) throws IOException {
        int descriptor = LongPath.open(access, planned.directory(), O_DIRECTORY | O_NONBLOCK);
        try {
            look(planned, descriptor, shortages);
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    private void look(PlannedRoom planned, int descriptor, List<RoomShortage> shortages) throws IOException {
        if (RoomShortage.of(options, isRoot, planned, access.room(descriptor), RoomShortage.Saved.NOTHING).isEmpty()) {
            return;
        }
        // Space that was just freed may still be counted as used.
        access.calls().syncfs(descriptor);
        FileSystemRoom room = access.room(descriptor);
        Saved less = saved().getOrDefault(access.status(descriptor).device(), new Saved());
        shortages.addAll(RoomShortage.of(options, isRoot, planned, room, less.sum()));
    }

    private Map<Long, Saved> saved() throws IOException {
        Map<Long, Saved> known = saved;
        if (known == null) {
            known = new HashMap<>();
            for (PlannedBatch batch : plan.batches()) {
                add(batch.number(), known);
            }
            saved = known;
        }
        return known;
    }

    private void add(int batch, Map<Long, Saved> known) throws IOException {
        int root = -1;
        TreePath directory = TreePath.root();
        boolean isThere = false;
        try (PlanRecords<ManifestEntry> manifest = plan.manifest(batch)) {
            for (ManifestEntry entry = manifest.next(); entry != null; entry = manifest.next()) {
                TreePath parent = entry.path().isRoot() ? entry.path() : entry.path().parent();
                if (entry.root() != root || !parent.equals(directory)) {
                    root = entry.root();
                    directory = parent;
                    isThere = entry.path().isRoot() || find(root, directory).isPresent();
                }
                boolean isFirst = entry.chunk() == null || entry.chunk().number() == 0;
                Optional<FileStatus> there = isThere && isFirst ? find(root, entry.path()) : Optional.empty();
                if (there.isPresent() && there.get().kind() != EntryKind.DIRECTORY) {
                    add(entry, there.get(), known.computeIfAbsent(there.get().device(), d -> new Saved()));
                }
            }
        }
    }

    // Overestimates what the existing file saves, so that only certain shortages remain.
    private void add(ManifestEntry entry, FileStatus there, Saved sum) {
        sum.files++;
        // Each name counts for a part; the blocks become free when the last name is removed.
        long old = there.blocks() * 512 / Math.max(1, there.linkCount());
        sum.bytes += options.existing() == CopyOptions.Existing.REPLACE
                ? old
                : Math.max(old, entry.kind().hasData() ? entry.size() : 0);
    }

    private Optional<FileStatus> find(int root, TreePath path) {
        PlannedRoot planned = plan.header().roots().get(root);
        try {
            return Optional.of(LongPath.status(access, path.below(planned.target()), false));
        } catch (SystemCallException e) {
            return Optional.empty();
        }
    }
}
