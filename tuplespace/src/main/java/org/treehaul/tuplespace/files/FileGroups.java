// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;

import org.treehaul.core.plan.spool.ExternalSort;

/**
 * The groups of entries with equal values in a field, in an {@link Order}; groups that are equal there come in the
 * order of the bytes of their values. Groups that do not fit into memory are in files until this object is closed. Used
 * by one thread.
 */
public final class FileGroups implements AutoCloseable {

    /** The numbers by which groups are ordered, the largest first. */
    public enum Order {
        /** By the sum of the sizes; groups with equal sums by the number of entries. */
        SIZE(2),
        /** By the sum of the allocated blocks. */
        BLOCKS(1),
        /** By the number of entries. */
        COUNT(1);

        private static final int ALL = 3;

        /** How many of {@link #numbers} determine the order. */
        private final int keys;

        Order(int keys) {
            this.keys = keys;
        }

        private long[] numbers(FileGroup group) {
            return switch (this) {
                case SIZE -> new long[]{group.size(), group.count(), group.blocks()};
                case BLOCKS -> new long[]{group.blocks(), group.size(), group.count()};
                case COUNT -> new long[]{group.count(), group.size(), group.blocks()};
            };
        }

        private FileGroup group(String value, long[] numbers) {
            return switch (this) {
                case SIZE -> new FileGroup(value, numbers[1], numbers[0], numbers[2]);
                case BLOCKS -> new FileGroup(value, numbers[2], numbers[1], numbers[0]);
                case COUNT -> new FileGroup(value, numbers[0], numbers[1], numbers[2]);
            };
        }
    }

    private final QueryFiles files;
    private final Order order;
    private final ExternalSort sort;

    /**
     * Creates an empty sorter of groups.
     *
     * @param files closed with this object
     */
    FileGroups(QueryFiles files, Order order) {
        this.files = files;
        this.order = order;
        this.sort = files.sort("groups");
    }

    /** Adds a group whose value no other group has. */
    void add(FileGroup group) {
        byte[] value = group.value().getBytes(StandardCharsets.UTF_8);
        long[] numbers = order.numbers(group);
        ByteBuffer key = ByteBuffer.allocate(order.keys * Long.BYTES + value.length);
        ByteBuffer content = ByteBuffer.allocate((Order.ALL - order.keys) * Long.BYTES);
        for (int i = 0; i < Order.ALL; i++) {
            (i < order.keys ? key : content).putLong(i < order.keys ? descending(numbers[i]) : numbers[i]);
        }
        key.put(value);
        files.run(() -> {
            sort.add(key.array(), content.array());
            return true;
        });
    }

    // Keys are compared as unsigned bytes.
    private static long descending(long number) {
        return ~(number ^ Long.MIN_VALUE);
    }

    private FileGroup read(byte[] key, byte[] content) {
        ByteBuffer keys = ByteBuffer.wrap(key);
        ByteBuffer others = ByteBuffer.wrap(content);
        long[] numbers = new long[Order.ALL];
        for (int i = 0; i < Order.ALL; i++) {
            numbers[i] = i < order.keys ? descending(keys.getLong()) : others.getLong();
        }
        return order.group(new String(Arrays.copyOfRange(key, keys.position(), key.length), StandardCharsets.UTF_8),
                numbers);
    }

    /** Returns the groups, as often as needed. The caller closes each stream. */
    public Stream<FileGroup> stream() {
        return files.stream(sort, this::read);
    }

    @Override
    public void close() {
        files.close();
    }
}
