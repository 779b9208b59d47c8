// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The numbers of all items, stored off-heap: 20 bytes for each item, regardless of its name, and 12 more if their
 * servers are known. Used by one thread.
 */
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
    // The number of the servers of each item; empty if they are not asked for.
    private final List<MemorySegment> servers = new ArrayList<>();
    private final boolean hasServers;
    private long count;
    private long room;

    /**
     * Creates the columns.
     *
     * @param hasServers whether the servers of items are kept
     */
    ItemColumns(boolean hasServers) {
        this.hasServers = hasServers;
    }

    private List<List<MemorySegment>> intColumns() {
        return hasServers ? List.of(files, directories, batches, servers) : List.of(files, directories, batches);
    }

    void add(long itemBytes, int itemFiles, int directory, int server) {
        if (count == room) {
            grow();
        }
        long item = count++;
        bytes.get(segment(item)).setAtIndex(ValueLayout.JAVA_LONG, item & MASK, itemBytes);
        set(files, item, itemFiles);
        set(directories, item, directory);
        set(batches, item, -1);
        if (hasServers) {
            set(servers, item, server);
        }
    }

    // A small plan needs only kilobytes: the first segment is replaced by larger ones until it has full size.
    private void grow() {
        if (room == 0 || (room & MASK) == 0) {
            long items = room == 0 ? FIRST_SEGMENT : 1L << SHIFT;
            bytes.add(arena.allocate(items * 8, 8));
            for (List<MemorySegment> column : intColumns()) {
                column.add(arena.allocate(items * 4, 4));
            }
            room += items;
            return;
        }
        long items = Math.min(room * 8, 1L << SHIFT);
        bytes.set(0, larger(bytes.getFirst(), items * 8));
        for (List<MemorySegment> column : intColumns()) {
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

    /** Returns the number of the servers of an item; 0 if they are unknown. */
    int server(long item) {
        return hasServers ? get(servers, check(item)) : 0;
    }

    /**
     * Returns the items of each part of these, in their order. May be called once.
     *
     * @param parts the number of parts
     * @param part returns the part of the items of a server
     */
    List<Part> divide(int parts, IntUnaryOperator part) {
        if (parts == 1) {
            return List.of(new Part(this, MemorySegment.NULL, count));
        }
        long[] counts = new long[parts];
        for (long item = 0; item < count; item++) {
            counts[part.applyAsInt(server(item))]++;
        }
        List<Part> divided = new ArrayList<>();
        for (long itsCount : counts) {
            divided.add(new Part(this, arena.allocate(itsCount * Long.BYTES, Long.BYTES), itsCount));
        }
        long[] used = new long[parts];
        for (long item = 0; item < count; item++) {
            int its = part.applyAsInt(server(item));
            divided.get(its).items.setAtIndex(ValueLayout.JAVA_LONG, used[its]++, item);
        }
        return divided;
    }

    /** Some of the items, as a strategy sees them. */
    static final class Part implements Items, BatchAssignment {
        private final ItemColumns all;
        private final MemorySegment items;
        private final boolean isWhole;
        private final long count;

        private Part(ItemColumns all, MemorySegment items, long count) {
            this.all = all;
            this.items = items;
            this.isWhole = items.equals(MemorySegment.NULL);
            this.count = count;
        }

        /** Returns the number of an item among all. */
        long item(long index) {
            if (index < 0 || index >= count) {
                throw new IndexOutOfBoundsException("item " + index + " of " + count);
            }
            return isWhole ? index : items.getAtIndex(ValueLayout.JAVA_LONG, index);
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public long bytes(long index) {
            return all.bytes(item(index));
        }

        @Override
        public int files(long index) {
            return all.files(item(index));
        }

        @Override
        public int directory(long index) {
            return all.directory(item(index));
        }

        @Override
        public void set(long index, int batch) {
            all.set(item(index), batch);
        }
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
