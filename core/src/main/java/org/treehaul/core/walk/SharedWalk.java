// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.walk.frontier.Frontier;
import org.treehaul.core.walk.frontier.PermitGate;
import org.treehaul.core.walk.frontier.SharedWork;
import org.treehaul.core.walk.listing.DirectoryRecords;
import org.treehaul.core.walk.listing.UnitSizes;

/** Exports the work of a walk in portable form and imports such work. */
final class SharedWalk<D> implements SharedWork {

    private static final byte ROOT = 0;
    private static final byte NAMES = 1;
    private static final byte RECORDS = 2;

    // Flag of units that stay in this process: their number precedes the names or records.
    private static final byte HERE = 0x10;

    private static final int HEAD = UnitSizes.HEAD;

    private final WalkRun<D> run;
    private final Frontier<Work<D>> frontier;
    private final PermitGate permitGate;
    private int nextWorker;

    SharedWalk(WalkRun<D> run, PermitGate permitGate) {
        this.run = run;
        this.frontier = run.frontier();
        this.permitGate = permitGate;
    }

    @Override
    public long waiting() {
        return frontier.waiting();
    }

    @Override
    public boolean isBusy() {
        return frontier.isBusy();
    }

    @Override
    public boolean isResting() {
        return frontier.isResting();
    }

    @Override
    public void atRest(Runnable action) {
        permitGate.atRest(action);
    }

    @Override
    public void open() {
        frontier.open();
    }

    @Override
    public void permit(long units) {
        frontier.permit(units);
    }

    @Override
    public void wanted() {
        frontier.setWanted(true);
    }

    @Override
    public boolean isStopped() {
        return run.isStopped();
    }

    @Override
    public byte[] take(long units, int bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Work<D> work : frontier.takeOldest(units)) {
            put(work, out, bytes);
        }
        if (out.size() > 0) {
            frontier.setWanted(false);
        }
        return out.toByteArray();
    }

    private void put(Work<D> work, ByteArrayOutputStream out, int bytes) {
        int room = bytes - out.size() - HEAD;
        switch (work) {
            case Work.RootWork<D> root -> {
                if (room < 0) {
                    frontier.putBack(root);
                } else {
                    head(out, ROOT, root.index, new byte[0], 1, 0, null);
                    frontier.gone(1);
                }
            }
            case Work.Siblings<D> some -> {
                byte[] path = ImportedPlace.pathTo(some.parent);
                int given = putNames(some, some.parent.rootIndex(), path, out, room, some.parent);
                partsGone(some.parent, given);
            }
            case Work.Imported<D> some -> putNames(some, some.parent.rootIndex(), some.parent.path(), out, room, null);
            case Work.Slice<D> slice -> putSlice(slice, out, room);
            case Work.ImportedSlice<D> slice -> {
                int end = putRecords(slice.records, slice.place.rootIndex(), slice.place.path(), out, room, null);
                if (end < slice.records.length) {
                    frontier.putBack(new Work.ImportedSlice<>(slice.place,
                            Arrays.copyOfRange(slice.records, end, slice.records.length)));
                } else {
                    frontier.gone(1);
                }
            }
            default -> frontier.putBack(work);
        }
    }

    private void putSlice(Work.Slice<D> slice, ByteArrayOutputStream out, int room) {
        WalkDirectory<D> directory = slice.directory;
        byte[] path = ImportedPlace.pathTo(directory);
        int end = putRecords(slice.records, directory.rootIndex(), path, out, room, directory);
        if (run.isPart() && directory.attachment() instanceof DividedDirectory divided) {
            for (int at = 0; at < end; at += DirectoryRecords.length(slice.records, at)) {
                divided.givenAway(slice.records, at + DirectoryRecords.NAME,
                        DirectoryRecords.nameLength(slice.records, at));
            }
        }
        if (end < slice.records.length) {
            // One part has become two, and the exported one still belongs to the same directory.
            if (end > 0 && !run.isPart()) {
                directory.addPending(1);
            }
            frontier.putBack(new Work.Slice<>(directory, Arrays.copyOfRange(slice.records, end, slice.records.length)));
        } else {
            frontier.gone(1);
            partsGone(directory, 1);
        }
    }

    private void head(ByteArrayOutputStream out, byte kind, int root, byte[] path, int count, int length,
            @Nullable WalkDirectory<D> directory) {
        WalkDirectory<D> here = run.isPart() ? null : directory;
        ByteBuffer head = ByteBuffer.allocate(HEAD + path.length)
                .put(here == null ? kind : (byte) (kind | HERE))
                .putInt(root)
                .putInt(path.length)
                .putInt(count)
                .putInt(here == null ? length : Long.BYTES + length)
                .put(path);
        if (here != null) {
            head.putLong(run.sharedContext().send(here));
        }
        out.write(head.array(), 0, head.position());
    }

    // Returns how many names were written; the others stay.
    private int putNames(Work.Packed<D> some, int root, byte[] path, ByteArrayOutputStream out, int room,
            @Nullable WalkDirectory<D> directory) {
        int fit = some.count;
        while (fit > 0 && some.endOf(fit) - some.from + path.length > room) {
            fit /= 2;
        }
        if (fit < some.count) {
            Work.Packed<D> rest = fit == 0 ? some : some.take(some.count - fit);
            frontier.putBack(rest);
        }
        if (fit > 0) {
            head(out, NAMES, root, path, fit, some.to - some.from, directory);
            out.write(some.packed, some.from, some.to - some.from);
            frontier.gone(fit);
        }
        return fit;
    }

    // Returns the end of the records that were written.
    private int putRecords(byte[] records, int root, byte[] path, ByteArrayOutputStream out, int room,
            @Nullable WalkDirectory<D> directory) {
        int end = 0;
        while (end < records.length && path.length + end + DirectoryRecords.length(records, end) <= room) {
            end += DirectoryRecords.length(records, end);
        }
        if (end > 0) {
            head(out, RECORDS, root, path, 1, end, directory);
            out.write(records, 0, end);
        }
        return end;
    }

    // Work that another process does no longer belongs to this walk. A worker has to leave the directory.
    private void partsGone(WalkDirectory<D> directory, int parts) {
        for (int i = 0; i < parts && run.isPart(); i++) {
            if (directory.partDone()) {
                frontier.push(0, new Work.Leaving<>(directory));
            }
        }
    }

    @Override
    public long add(byte[] units) {
        ByteBuffer in = ByteBuffer.wrap(units);
        long added = 0;
        try {
            while (in.hasRemaining()) {
                Work<D> work = read(in);
                added += work.units();
                frontier.push(nextWorker, work);
                nextWorker = (nextWorker + 1) % frontier.active();
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException | NegativeArraySizeException e) {
            throw new IllegalArgumentException("not units of a walk of these roots", e);
        }
        return added;
    }

    private Work<D> read(ByteBuffer in) {
        byte kind = in.get();
        int root = in.getInt();
        byte[] path = new byte[Math.min(in.getInt(), in.remaining())];
        int count = in.getInt();
        byte[] content = new byte[Math.min(in.getInt(), in.remaining())];
        in.get(path).get(content);
        run.root(root);
        if ((kind & HERE) != 0) {
            return ofThisProcess(kind, content, count);
        }
        ImportedPlace<D> place = new ImportedPlace<>(root, path);
        return switch (kind) {
            case ROOT -> new Work.RootWork<>(root);
            case NAMES -> new Work.Imported<>(place, content, 0, content.length, count);
            case RECORDS -> new Work.ImportedSlice<>(place, content);
            default -> throw new IllegalArgumentException("not units of a walk: kind " + kind);
        };
    }

    private Work<D> ofThisProcess(byte kind, byte[] content, int count) {
        WalkDirectory<D> directory = run.sharedContext().arrive(ByteBuffer.wrap(content).getLong());
        if (directory == null) {
            throw new IllegalArgumentException("units of another process");
        }
        return switch (kind ^ HERE) {
            case NAMES -> new Work.Siblings<>(directory, content, Long.BYTES, content.length, count);
            case RECORDS -> new Work.Slice<>(directory, Arrays.copyOfRange(content, Long.BYTES, content.length));
            default -> throw new IllegalArgumentException("not units of a walk: kind " + kind);
        };
    }
}
