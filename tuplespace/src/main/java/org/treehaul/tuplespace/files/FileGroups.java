// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;

import org.treehaul.core.plan.spool.ExternalSort;

/**
 * The groups of entries with equal values in a field: those with the most bytes first, then those with the most
 * entries, then in the order of the bytes of their values. Groups that do not fit into memory are in files until this
 * object is closed. Used by one thread.
 */
public final class FileGroups implements AutoCloseable {

    private static final int VALUE = 2 * Long.BYTES;

    private final QueryFiles files;
    private final ExternalSort sort;

    /**
     * Creates an empty sorter of groups.
     *
     * @param files closed with this object
     */
    FileGroups(QueryFiles files) {
        this.files = files;
        this.sort = files.sort("groups");
    }

    /** Adds a group whose value no other group has. */
    void add(FileGroup group) {
        byte[] value = group.value().getBytes(StandardCharsets.UTF_8);
        byte[] key = ByteBuffer.allocate(VALUE + value.length)
                .putLong(descending(group.size()))
                .putLong(descending(group.count()))
                .put(value)
                .array();
        files.run(() -> {
            sort.add(key, ByteBuffer.allocate(Long.BYTES).putLong(group.blocks()).array());
            return true;
        });
    }

    // Keys are compared as unsigned bytes.
    private static long descending(long number) {
        return ~(number ^ Long.MIN_VALUE);
    }

    private static FileGroup read(byte[] key, byte[] content) {
        ByteBuffer numbers = ByteBuffer.wrap(key);
        long size = descending(numbers.getLong());
        long count = descending(numbers.getLong());
        return new FileGroup(new String(Arrays.copyOfRange(key, VALUE, key.length), StandardCharsets.UTF_8), count,
                size, ByteBuffer.wrap(content).getLong());
    }

    /** Returns the groups, as often as needed. The caller closes each stream. */
    public Stream<FileGroup> stream() {
        return files.stream(sort, FileGroups::read);
    }

    @Override
    public void close() {
        files.close();
    }
}
