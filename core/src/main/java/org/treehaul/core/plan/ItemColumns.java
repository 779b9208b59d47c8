// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.plan.spool.PackedColumn;

/**
 * The numbers of all items, stored outside of the Java heap: a few bytes for each item, regardless of its name, and at
 * most 20, or 24 if their servers are known ({@link PackedColumn}). Used by one thread.
 */
final class ItemColumns implements Items, BatchAssignment, AutoCloseable {

    private final Arena arena = Arena.ofConfined();
    private final PackedColumn bytes = new PackedColumn(arena);
    // Up to the last item with several names: all after it have one.
    private final PackedColumn files = new PackedColumn(arena);
    private final PackedColumn directories = new PackedColumn(arena);
    private final PackedColumn batches = new PackedColumn(arena);
    // The number of the servers of each item, up to the last one whose servers are known.
    private final PackedColumn servers = new PackedColumn(arena);

    /** Adds an item with one name. */
    void add(long itemBytes, int directory, int server) {
        bytes.add(itemBytes);
        directories.add(directory);
        if (server != 0) {
            servers.extend(0, count() - 1);
            servers.add(server);
        }
    }

    /** Adds a name to the item that was added last. */
    void addName() {
        files.extend(1, count());
        files.set(count() - 1, Math.addExact(files(count() - 1), 1));
    }

    @Override
    public long count() {
        return bytes.count();
    }

    @Override
    public long bytes(long item) {
        return bytes.get(item);
    }

    @Override
    public int files(long item) {
        return item < files.count() ? (int) files.get(item) : 1;
    }

    @Override
    public int directory(long item) {
        return (int) directories.get(item);
    }

    int batch(long item) {
        return (int) batches.get(item);
    }

    /** Returns the number of the servers of an item; 0 if they are unknown. */
    int server(long item) {
        return item < servers.count() ? (int) servers.get(item) : 0;
    }

    /**
     * Returns the items of each part of these, in their order, none of which has a batch yet. May be called once, after
     * all items are added.
     *
     * @param parts the number of parts
     * @param part returns the part of the items of a server
     */
    List<Part> divide(int parts, IntUnaryOperator part) {
        batches.extend(-1, count());
        if (parts == 1) {
            return List.of(new Part(this, null));
        }
        List<PackedColumn> divided = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            divided.add(new PackedColumn(arena));
        }
        for (long item = 0; item < count(); item++) {
            divided.get(part.applyAsInt(server(item))).add(item);
        }
        return divided.stream().map(items -> new Part(this, items)).toList();
    }

    /** Some of the items, as a strategy sees them. */
    static final class Part implements Items, BatchAssignment {
        private final ItemColumns all;
        // Null if these are all items.
        private final @Nullable PackedColumn items;

        private Part(ItemColumns all, @Nullable PackedColumn items) {
            this.all = all;
            this.items = items;
        }

        /** Returns the number of an item among all. */
        long item(long index) {
            return items == null ? index : items.get(index);
        }

        @Override
        public long count() {
            return items == null ? all.count() : items.count();
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

        @Override
        public void setAll(long from, long to, int batch) {
            if (items == null) {
                all.setAll(from, to, batch);
            } else {
                BatchAssignment.super.setAll(from, to, batch);
            }
        }

        /** Returns an index up to which all items from this one on have its batch; the next may have it, too. */
        long endOfBatch(long index) {
            return items == null ? all.batches.endOfEqual(index) : index + 1;
        }
    }

    @Override
    public void set(long item, int batch) {
        batches.set(item, batch);
    }

    @Override
    public void setAll(long from, long to, int batch) {
        batches.setAll(from, to, batch);
    }

    @Override
    public void close() {
        arena.close();
    }
}
