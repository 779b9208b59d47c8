// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.ProgressPart;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SeenStatuses;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.format.RecordFiles;
import org.treehaul.core.plan.format.SpooledStatus;
import org.treehaul.core.plan.servers.FileServers;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.plan.spool.RunBuffer;
import org.treehaul.core.plan.spool.SpoolKey;
import org.treehaul.core.plan.spool.SpooledEntry;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;

/** Spools the entries found by one walk thread, in blocks, so that threads rarely wait for each other. */
final class PlanHandler implements WalkHandler<PlannedTarget> {

    /** Size of a block in bytes: about 300 entries. */
    static final int BLOCK_BYTES = 32 * 1024;

    private static final long NONE = -1;

    private final PlanRun run;
    private final boolean withIdentities;
    private final ProgressPart progress;
    // Null if the walk itself applies the conditions, or there are none.
    private final @Nullable FoundValues values;
    private final RunBuffer entries = new RunBuffer();
    private final RunBuffer links = new RunBuffer();
    private final RunBuffer directories = new RunBuffer();

    // The beginning of the keys in the current directory, shared by its entries.
    private byte[] head = {};
    private @Nullable WalkDirectory<PlannedTarget> directoryOfHead;

    // The device of the last file with blocks that was read ahead.
    private long withBlocks = NONE;

    PlanHandler(PlanRun run) {
        this.run = run;
        this.withIdentities = run.request().withIdentities();
        this.progress = new ProgressPart(run.progress());
        this.values = run.selects()
                ? new FoundValues(run.request().pairs().stream().map(PlanRequest.Pair::source).toList())
                : null;
    }

    // A plan only records statuses. Conditions that this handler applies may look at other things than the status.
    @Override
    public boolean readsAhead() {
        return values == null;
    }

    // Nearly all entries of most trees are regular files with one name: no object is made for them.
    @Override
    public int readAhead(WalkDirectory<PlannedTarget> directory, WalkWorker<PlannedTarget> worker, int count) {
        SeenStatuses statuses = worker.access().seen();
        RoomNeeds.Need need = directory.attachment().need();
        RoomNeeds.Files files = new RoomNeeds.Files();
        byte[] before = head(directory);
        int added = 0;
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            if (statuses.isFileWithOneName(i) && !run.asksPlaces(statuses.size(i))) {
                added |= 1 << i;
                add(statuses, i, before);
                long device = statuses.device(i);
                long blocks = statuses.blocks(i);
                if (blocks > 0 && device != withBlocks) {
                    run.data().sawBlocks(device);
                    withBlocks = device;
                }
                bytes += statuses.size(i);
                files.add(statuses.size(i), blocks, need.isOf(device));
            }
        }
        if (added != 0) {
            need.add(files);
            progress.filesDone(Integer.bitCount(added), bytes);
            try {
                flushFull();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return added;
    }

    private void add(SeenStatuses statuses, int index, byte[] before) {
        int nameLength = statuses.nameLength(index);
        int keyLength = before.length + nameLength;
        int at = entries.add(keyLength, SpooledEntry.bytes(withIdentities));
        byte[] data = entries.data();
        System.arraycopy(before, 0, data, at, before.length);
        System.arraycopy(statuses.nameBytes(), statuses.nameStart(index), data, at + before.length, nameLength);
        SpooledEntry.put(statuses, index, withIdentities, data, at + keyLength);
    }

    @Override
    public Step entry(FoundEntry<PlannedTarget> found) throws SystemCallException {
        FileStatus status = found.status();
        WalkDirectory<PlannedTarget> parent = found.parent();
        boolean isDirectory = status.kind() == EntryKind.DIRECTORY;
        if (values != null && !isSelected(found, isDirectory, parent)) {
            return Step.CONTINUE;
        }
        if (isDirectory) {
            return Step.CONTINUE;
        }
        SpooledStatus spooled = withIdentities ? SpooledStatus.withChangeTime(status) : SpooledStatus.of(status);
        try {
            if (run.request().hasLinkGroups() && status.linkCount() > 1) {
                add(found, parent, Spool.LINK_KEY, spooled, links, run.places(found, status));
                if (links.usedBytes() > BLOCK_BYTES) {
                    flush(links, run.spool().links());
                }
            } else {
                add(found, parent, 0, spooled, entries, run.places(found, status));
                flushFull();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        RoomNeeds.Need need = parent == null ? run.targets().need(found.rootIndex()) : parent.attachment().need();
        need.add(status);
        run.data().saw(status);
        progress.entryDone(status.kind(), status.size());
        return Step.CONTINUE;
    }

    // The key is written in place, because each entry of a plan passes here.
    private void add(FoundEntry<PlannedTarget> found, @Nullable WalkDirectory<PlannedTarget> parent, int linkKeyLength,
            SpooledStatus status, RunBuffer block, FileServers.Places places) {
        byte[] before = parent == null ? SpoolKey.before(found.rootIndex(), new byte[0]) : head(parent);
        int nameLength = parent == null ? 0 : found.nameLength();
        int keyLength = linkKeyLength + before.length + nameLength;
        byte[] content = places.servers().isEmpty() && places.cuts().isEmpty()
                ? new byte[0]
                : new SpooledEntry(SpooledEntry.Role.SINGLE, 0, status, places.servers(), places.cuts()).encode();
        int contentLength = content.length == 0 ? SpooledEntry.bytes(status) : content.length;
        int at = block.add(keyLength, contentLength);
        byte[] data = block.data();
        if (linkKeyLength > 0) {
            Spool.putLinkKey(status, data, at);
        }
        System.arraycopy(before, 0, data, at + linkKeyLength, before.length);
        if (nameLength > 0) {
            found.copyName(data, at + linkKeyLength + before.length);
        }
        if (content.length == 0) {
            SpooledEntry.put(status, data, at + keyLength);
        } else {
            System.arraycopy(content, 0, data, at + keyLength, content.length);
        }
    }

    private boolean isSelected(FoundEntry<PlannedTarget> found, boolean isDirectory,
            @Nullable WalkDirectory<PlannedTarget> parent) throws SystemCallException {
        boolean isMatch = run.request().walk().where().matches(Objects.requireNonNull(values).of(found));
        if (isMatch && isDirectory) {
            run.matches(found.rootIndex(), found.path());
        }
        // A directory counts as left until everything in it turns out to be planned.
        if (parent != null && (isDirectory || !isMatch)) {
            parent.attachment().leave(1);
        }
        return isMatch;
    }

    private byte[] head(WalkDirectory<PlannedTarget> directory) {
        if (directoryOfHead != directory) {
            head = SpoolKey.before(directory.rootIndex(), directory.path().toBytes());
            directoryOfHead = directory;
        }
        return head;
    }

    @Override
    public PlannedTarget enter(WalkDirectory<PlannedTarget> directory, WalkWorker<PlannedTarget> worker)
            throws SystemCallException {
        if (run.targets().isTarget(directory.status())) {
            throw new SystemCallException("copy a directory into itself", Errno.EINVAL);
        }
        WalkDirectory<PlannedTarget> parent = directory.parent();
        PlannedTarget target = parent == null
                ? run.targets().root(directory.rootIndex(), worker.access())
                : run.targets().child(directory.rootIndex(), parent.attachment(), directory.path(), worker.access());
        if (target.directory() == null) {
            target.need().addDirectory();
        }
        if (directory.isFollowed()) {
            run.followed(directory.rootIndex(), directory.path());
        }
        return values == null ? target : target.counting();
    }

    @Override
    public void leave(WalkDirectory<PlannedTarget> directory, WalkWorker<PlannedTarget> worker) {
        if (run.isPlanned(directory)) {
            plan(directory);
        }
        if (directory.parent() != null && directory.attachment().directory() != null) {
            directory.attachment().directory().retire();
        }
    }

    private void plan(WalkDirectory<PlannedTarget> directory) {
        WalkDirectory<PlannedTarget> parent = directory.parent();
        if (parent != null) {
            parent.attachment().leave(-1);
        }
        OptionalInt mode = directory.attachment().mode();
        boolean withRights = run.request().directories() == PlanRequest.Directories.COMPARED;
        FileStatus status = directory.status();
        byte[] content = ByteBuffer.allocate(Spool.DIRECTORY_BYTES)
                .put((byte) RecordFiles.flags(mode, directory.isIncomplete(), withIdentities, withRights))
                .putShort((short) (withRights ? status.permissions() : mode.orElse(0)))
                .putLong(status.inode())
                .putLong(status.device())
                .putInt((int) status.uid())
                .putInt((int) status.gid())
                .array();
        directories.add(SpoolKey.ofDirectory(run.order().rank(directory.rootIndex()), directory.path().toBytes()),
                content);
        progress.entryDone(EntryKind.DIRECTORY, 0);
        if (directories.usedBytes() > BLOCK_BYTES) {
            try {
                flush(directories, run.spool().directories());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public void failed(EntryFailure failure) {
        run.failed(failure);
    }

    // With streamed batches, an idle worker may be waiting for the entries of this block.
    @Override
    public void idle(WalkWorker<PlannedTarget> worker) {
        progress.publish();
        try {
            flushEntries();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void finished(WalkWorker<PlannedTarget> worker) {
        progress.publish();
    }

    private void flushFull() throws IOException {
        if (entries.usedBytes() > BLOCK_BYTES) {
            flushEntries();
        }
    }

    private void flushEntries() throws IOException {
        run.sink().addAll(entries);
        entries.clear();
    }

    private static void flush(RunBuffer block, ExternalSort sort) throws IOException {
        sort.addAll(block);
        block.clear();
    }

    /** Hands over the remaining records when the walk is over. */
    void flush() throws IOException {
        flushEntries();
        flush(links, run.spool().links());
        flush(directories, run.spool().directories());
    }
}
