// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** The numbers of all items, stored off-heap: 20 bytes for each item, regardless of its name. Used by one thread. */
final class ItemColumns implements Items, BatchAssignment, AutoCloseable {

    // Items in a segment: the columns grow by 20 MiB at a time, without copying.
    private static final int SHIFT = 20;
    private static final long MASK = (1L << SHIFT) - 1;

    private static final long FIRST_SEGMENT = 1L << 12;

    private final Arena arena = Arena.ofConfined();
    private final List<MemorySegment> bytes = new ArrayList<>();
    private final List<MemorySegment> files = new ArrayList<>();
    private final List<MemorySegment> directories = new ArrayList<>();
    private final List<MemorySegment> batches = new ArrayList<>();
    private long count;
    private long room;

    void add(long itemBytes, int itemFiles, int directory) {
        if (count == room) {
            grow();
        }
        long item = count++;
        bytes.get(segment(item)).setAtIndex(ValueLayout.JAVA_LONG, item & MASK, itemBytes);
        set(files, item, itemFiles);
        set(directories, item, directory);
        set(batches, item, -1);
    }

    // A small plan needs only kilobytes: the first segment is replaced by larger ones until it has full size.
    private void grow() {
        if (room == 0 || (room & MASK) == 0) {
            long items = room == 0 ? FIRST_SEGMENT : 1L << SHIFT;
            bytes.add(arena.allocate(items * 8, 8));
            for (List<MemorySegment> column : List.of(files, directories, batches)) {
                column.add(arena.allocate(items * 4, 4));
            }
            room += items;
            return;
        }
        long items = Math.min(room * 8, 1L << SHIFT);
        bytes.set(0, larger(bytes.getFirst(), items * 8));
        for (List<MemorySegment> column : List.of(files, directories, batches)) {
            column.set(0, larger(column.getFirst(), items * 4));
        }
        room = items;
    }

    private MemorySegment larger(MemorySegment old, long size) {
        MemorySegment segment = arena.allocate(size, 8);
        segment.copyFrom(old);
        return segment;
    }

    /** Adds a name to the item that was added last. */
    void addName() {
        set(files, count - 1, Math.addExact(files(count - 1), 1));
    }

    private static int segment(long item) {
        return (int) (item >>> SHIFT);
    }

    private static void set(List<MemorySegment> column, long item, int value) {
        column.get(segment(item)).setAtIndex(ValueLayout.JAVA_INT, item & MASK, value);
    }

    private static int get(List<MemorySegment> column, long item) {
        return column.get(segment(item)).getAtIndex(ValueLayout.JAVA_INT, item & MASK);
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public long bytes(long item) {
        return bytes.get(segment(check(item))).getAtIndex(ValueLayout.JAVA_LONG, item & MASK);
    }

    @Override
    public int files(long item) {
        return get(files, check(item));
    }

    @Override
    public int directory(long item) {
        return get(directories, check(item));
    }

    int batch(long item) {
        return get(batches, check(item));
    }

    @Override
    public void set(long item, int batch) {
        set(batches, check(item), batch);
    }

    private long check(long item) {
        if (item < 0 || item >= count) {
            throw new IndexOutOfBoundsException("item " + item + " of " + count);
        }
        return item;
    }

    @Override
    public void close() {
        arena.close();
    }
}
