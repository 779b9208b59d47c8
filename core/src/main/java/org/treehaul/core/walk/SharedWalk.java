// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Gives the work of a walk away in portable form, and takes such work in. */
final class SharedWalk<D> implements SharedWork {

    private static final byte ROOT = 0;
    private static final byte NAMES = 1;
    private static final byte RECORDS = 2;

    // Kind, root, length of the path, number of names, their length.
    private static final int HEAD = 1 + 4 * 4;

    private final WalkRun<D> run;
    private final Frontier<Work<D>> frontier;
    private final SharedTurns turns;
    private int nextWorker;

    SharedWalk(WalkRun<D> run, SharedTurns turns) {
        this.run = run;
        this.frontier = run.frontier();
        this.turns = turns;
    }

    @Override
    public long waiting() {
        return Math.max(0, frontier.outstanding() - 1 - turns.inHand());
    }

    @Override
    public boolean isBusy() {
        return turns.isBusy();
    }

    @Override
    public boolean isResting() {
        return turns.isResting(frontier.outstanding());
    }

    @Override
    public void atRest(Runnable action) {
        turns.atRest(action);
    }

    @Override
    public void open() {
        turns.open();
        frontier.wake();
    }

    @Override
    public void permit(long units) {
        turns.permit(units);
        frontier.wake();
    }

    @Override
    public void wanted() {
        turns.want(true);
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
            turns.want(false);
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
                    head(out, ROOT, root.index, new byte[0], 1, 0);
                    frontier.gone(1);
                }
            }
            case Work.Siblings<D> some -> {
                byte[] path = ImportedPlace.pathTo(some.parent);
                int given = putNames(some, some.parent.rootIndex(), path, out, room);
                partsGone(some.parent, given);
            }
            case Work.Imported<D> some -> putNames(some, some.parent.rootIndex(), some.parent.path(), out, room);
            case Work.Slice<D> slice -> {
                byte[] path = ImportedPlace.pathTo(slice.directory);
                int end = putRecords(slice.records, slice.directory.rootIndex(), path, out, room);
                if (end < slice.records.length) {
                    frontier.putBack(new Work.Slice<>(slice.directory,
                            Arrays.copyOfRange(slice.records, end, slice.records.length)));
                } else {
                    frontier.gone(1);
                    partsGone(slice.directory, 1);
                }
            }
            case Work.ImportedSlice<D> slice -> {
                int end = putRecords(slice.records, slice.place.rootIndex(), slice.place.path(), out, room);
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

    private static void head(ByteArrayOutputStream out, byte kind, int root, byte[] path, int count, int length) {
        out.writeBytes(ByteBuffer.allocate(HEAD + path.length)
                .put(kind)
                .putInt(root)
                .putInt(path.length)
                .putInt(count)
                .putInt(length)
                .put(path)
                .array());
    }

    // Returns how many names were put; the others stay.
    private int putNames(Work.Packed<D> some, int root, byte[] path, ByteArrayOutputStream out, int room) {
        int fit = some.count;
        while (fit > 0 && some.endOf(fit) - some.from + path.length > room) {
            fit /= 2;
        }
        if (fit < some.count) {
            Work.Packed<D> rest = fit == 0 ? some : some.take(some.count - fit);
            frontier.putBack(rest);
        }
        if (fit > 0) {
            head(out, NAMES, root, path, fit, some.to - some.from);
            out.write(some.packed, some.from, some.to - some.from);
            frontier.gone(fit);
        }
        return fit;
    }

    // Returns where the records end that were put.
    private static int putRecords(byte[] records, int root, byte[] path, ByteArrayOutputStream out, int room) {
        int end = 0;
        while (end < records.length && path.length + end + DirectoryRecords.length(records, end) <= room) {
            end += DirectoryRecords.length(records, end);
        }
        if (end > 0) {
            head(out, RECORDS, root, path, 1, end);
            out.write(records, 0, end);
        }
        return end;
    }

    // As the workers do, but nobody leaves a directory in a walk that is shared.
    private void partsGone(WalkDirectory<D> first, int parts) {
        for (int i = 0; i < parts; i++) {
            WalkDirectory<D> directory = first;
            while (directory != null && directory.partDone()) {
                directory.handle().retire();
                directory = directory.parent();
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
        ImportedPlace<D> place = new ImportedPlace<>(run, root, path);
        return switch (kind) {
            case ROOT -> new Work.RootWork<>(root);
            case NAMES -> new Work.Imported<>(place, content, 0, content.length, count);
            case RECORDS -> new Work.ImportedSlice<>(place, content);
            default -> throw new IllegalArgumentException("not units of a walk: kind " + kind);
        };
    }
}
