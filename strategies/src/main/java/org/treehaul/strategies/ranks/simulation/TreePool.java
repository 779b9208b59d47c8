// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.walk.frontier.Frontier;
import org.treehaul.core.walk.listing.UnitSizes;

/**
 * The work of a simulated rank as in a walk: a unit is a directory, or a part of a listing, in the same
 * {@link Frontier}, with the same rules for dividing and giving away units and the same length in messages. Only the
 * calls are not made.
 */
final class TreePool implements SimulatedPool {

    // A message begins with the number of bytes that it simulates.
    private static final int SIMULATED_SIZE_BYTES = 8;

    /**
     * The progress of a thread in a listing: a range of its entries; the thread reads the entries after the range when
     * it has finished it.
     */
    private static final class ListingCursor {
        private final TreeUnit.Place place;
        private final SimulatedTree.Content content;
        private final long total;
        private final boolean isRoot;
        private boolean isFirst = true;
        private long at;
        private long end;
        private long read;
        private long step;
        private int flushed;

        ListingCursor(TreeUnit.Place place, SimulatedTree.Content content, boolean isRoot, long from, long to) {
            this.place = place;
            this.content = content;
            this.isRoot = isRoot;
            this.at = from;
            this.read = from;
            this.end = from;
            this.total = to;
            this.flushed = subdirectories(from);
        }

        // The subdirectories are spread evenly among the files.
        private int subdirectories(long before) {
            long all = content.entries();
            return all == 0 ? 0 : (int) Math.round((double) before * content.ids().length / all);
        }
    }

    private final SimulatedTree tree;
    private final Frontier<TreeUnit> frontier;
    private final @Nullable ListingCursor[] cursors;
    private final Chance chance;
    private final int entryBytes;
    private boolean begun;
    private boolean restricted;
    private int busy;
    private int nextWorker;
    private long done;
    private long nanosBusy;

    /**
     * Makes a pool.
     *
     * @param entries the entries of the tree below the root directory, -1 for a pool without work
     */
    TreePool(SimulatedTree tree, int rank, int threads, long entries) {
        this.tree = tree;
        this.frontier = Frontier.shared(threads);
        this.cursors = new ListingCursor[threads];
        this.entryBytes = tree.parameters().entryBytes();
        this.chance = new Chance(tree.parameters().settings().seed() + 31L * rank);
        if (entries >= 0) {
            frontier.push(0, new TreeUnit.Names(-1, 0, new long[]{tree.root()}, new long[]{entries}, 0, 1));
        }
    }

    @Override
    public long done() {
        return done;
    }

    @Override
    public long nanosBusy() {
        return nanosBusy;
    }

    // Runs at the first use, when it is known whether units need permits.
    private void open() {
        if (!begun && !restricted) {
            frontier.open();
        }
        begun = true;
    }

    @Override
    public long begin(int thread) {
        open();
        ListingCursor cursor = cursors[thread];
        if (cursor == null) {
            TreeUnit unit = frontier.poll(thread);
            if (unit == null) {
                return NOTHING;
            }
            cursor = cursor(unit);
            cursors[thread] = cursor;
            busy++;
            tree.begun();
            if (unit instanceof TreeUnit.Names) {
                read(thread, cursor);
            }
        } else if (cursor.end > cursor.at) {
            giveAwayHalf(thread, cursor);
        }
        cursor.step = Math.min(UnitSizes.ENTRIES_PER_LOOK, cursor.end - cursor.at);
        boolean opens = cursor.isFirst && cursor.at == 0;
        long nanos = tree.nanos(opens ? 1 : 0, cursor.step + (opens && cursor.isRoot ? 1 : 0), chance);
        done += opens && cursor.isRoot ? 1 : 0;
        cursor.isFirst = false;
        nanosBusy += nanos;
        return nanos;
    }

    private ListingCursor cursor(TreeUnit unit) {
        return switch (unit) {
            case TreeUnit.Names names -> {
                TreeUnit.Place place = names.first();
                SimulatedTree.Content content = tree.content(place.id(), place.below());
                yield new ListingCursor(place, content, names.isRoot(), 0, content.entries());
            }
            case TreeUnit.Slice slice -> {
                ListingCursor cursor = new ListingCursor(slice.place(),
                        tree.content(slice.place().id(), slice.place().below()), false, slice.from(), slice.to());
                cursor.read = slice.to();
                cursor.end = slice.to();
                cursor.isFirst = false;
                yield cursor;
            }
        };
    }

    // Reads the entries that one call of the kernel returns. If a master deals out the work, they are cut into parts.
    private void read(int thread, ListingCursor cursor) {
        int record = cursor.content.record();
        cursor.at = cursor.read;
        cursor.read = Math.min(cursor.total, cursor.at + Math.max(1, FileAccess.LISTING_BYTES / record));
        cursor.end = cursor.read;
        if (!frontier.isLimited()) {
            return;
        }
        long each = (UnitSizes.PART + record - 1L) / record;
        long start = cursor.at;
        while ((cursor.read - start) * record > 2L * UnitSizes.PART && frontier.outstanding() < UnitSizes.MOST_PARTS) {
            if (start == cursor.at) {
                cursor.end = start + each;
            } else {
                frontier.push(thread, new TreeUnit.Slice(cursor.place, record, start, start + each));
            }
            start += each;
        }
        if (start > cursor.at) {
            frontier.push(thread, new TreeUnit.Slice(cursor.place, record, start, cursor.read));
        }
    }

    private void giveAwayHalf(int thread, ListingCursor cursor) {
        long rest = cursor.end - cursor.at;
        if (rest * cursor.content.record() < 2L * UnitSizes.LEAST_SLICE
                || frontier.idle() + cursors.length - busy == 0) {
            return;
        }
        long middle = cursor.at + rest / 2;
        flush(thread, cursor);
        frontier.push(thread, new TreeUnit.Slice(cursor.place, cursor.content.record(), middle, cursor.end));
        cursor.end = middle;
    }

    private void flush(int thread, ListingCursor cursor) {
        int upTo = cursor.subdirectories(cursor.at);
        if (upTo > cursor.flushed) {
            frontier.push(thread, new TreeUnit.Names(cursor.place.path(), cursor.content.name(), cursor.content.ids(),
                    cursor.content.below(), cursor.flushed, upTo));
        }
        cursor.flushed = cursor.subdirectories(cursor.at);
    }

    @Override
    public void end(int thread) {
        ListingCursor cursor = cursors[thread];
        if (cursor == null) {
            throw new IllegalStateException("thread " + thread + " has no unit in progress");
        }
        cursor.at += cursor.step;
        done += cursor.step;
        if (cursor.at < cursor.end) {
            return;
        }
        flush(thread, cursor);
        if (cursor.read < cursor.total) {
            read(thread, cursor);
            // Subdirectories of the previous part that were given away are not its own any more.
            cursor.flushed = cursor.subdirectories(cursor.at);
            return;
        }
        cursors[thread] = null;
        busy--;
        tree.ended();
        frontier.done();
    }

    @Override
    public long waiting() {
        return frontier.waiting();
    }

    @Override
    public long weight() {
        return frontier.waiting();
    }

    @Override
    public boolean isBusy() {
        return frontier.isBusy();
    }

    @Override
    public boolean isResting() {
        open();
        return frontier.isResting();
    }

    @Override
    public byte[] take(long most, int bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long simulatedSize = 0;
        for (TreeUnit unit : frontier.takeOldest(most)) {
            simulatedSize += switch (unit) {
                case TreeUnit.Names names -> put(names, out, bytes - simulatedSize - UnitSizes.HEAD);
                case TreeUnit.Slice slice -> put(slice, out, bytes - simulatedSize - UnitSizes.HEAD);
            };
        }
        if (out.size() == 0) {
            return new byte[0];
        }
        frontier.setWanted(false);
        return ByteBuffer.allocate(SIMULATED_SIZE_BYTES + out.size())
                .putLong(simulatedSize)
                .put(out.toByteArray())
                .array();
    }

    @Override
    public byte[] takeLargest(long most, long mostWeight, int bytes) {
        return take(most, bytes);
    }

    private long put(TreeUnit.Names names, ByteArrayOutputStream out, long room) {
        if (names.isRoot()) {
            names.write(out);
            frontier.gone(1);
            return UnitSizes.HEAD;
        }
        int path = entryBytes > 0 ? 0 : names.path();
        int each = entryBytes > 0 ? entryBytes : names.name() + UnitSizes.BESIDES_NAME;
        int fit = names.units();
        while (fit > 0 && (long) fit * each + path > room) {
            fit /= 2;
        }
        if (fit < names.units()) {
            frontier.putBack(fit == 0 ? names : names.take(names.units() - fit));
        }
        if (fit == 0) {
            return 0;
        }
        names.write(out);
        frontier.gone(fit);
        return UnitSizes.HEAD + path + (long) fit * each;
    }

    private long put(TreeUnit.Slice slice, ByteArrayOutputStream out, long room) {
        int path = slice.place().path();
        long fit = Math.min(slice.entries(), (room - path) / slice.record());
        if (fit <= 0) {
            frontier.putBack(slice);
            return 0;
        }
        slice.write(out, fit);
        if (fit < slice.entries()) {
            frontier.putBack(slice.after(fit));
        } else {
            frontier.gone(1);
        }
        return UnitSizes.HEAD + path + fit * slice.record();
    }

    @Override
    public long add(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).position(SIMULATED_SIZE_BYTES);
        long added = 0;
        while (in.hasRemaining()) {
            TreeUnit unit = TreeUnit.read(in);
            added += unit.units();
            frontier.push(nextWorker, unit);
            nextWorker = (nextWorker + 1) % cursors.length;
        }
        return added;
    }

    @Override
    public long bytes(byte[] message) {
        return message.length <= MESSAGE_HEADER
                ? message.length
                : MESSAGE_HEADER + ByteBuffer.wrap(message).getLong(MESSAGE_HEADER);
    }

    @Override
    public void permit(long more) {
        frontier.permit(more);
    }

    @Override
    public void restrict() {
        restricted = true;
    }

    @Override
    public void wanted() {
        frontier.setWanted(true);
    }

    @Override
    public String toString() {
        return "rank with " + Arrays.stream(cursors).filter(h -> h != null).count() + " units in progress";
    }
}
