// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.plan.spool.ExternalSort;

/**
 * Adds up parts of groups with the same value. Parts that do not fit into memory are sorted by their values in files.
 * Used by one thread.
 */
final class GroupSums implements AutoCloseable {

    /** Approximate bytes that a group takes in memory besides its value. */
    private static final int GROUP = 200;

    private final long most;
    private final QueryFiles files;
    private final Map<String, FileGroup> groups = new LinkedHashMap<>();
    private long weight;
    private @Nullable ExternalSort parts;

    GroupSums(QueryMemory memory) {
        this.most = memory.bytes();
        this.files = new QueryFiles(memory);
    }

    /**
     * Adds a part of a group.
     *
     * @throws ArithmeticException when a sum does not fit a long
     */
    void add(FileGroup part) {
        int before = groups.size();
        groups.merge(part.value(), part, GroupSums::sum);
        if (groups.size() > before) {
            weight += GROUP + 2L * part.value().length();
            if (weight > most) {
                spill();
            }
        }
    }

    private static FileGroup sum(FileGroup one, FileGroup other) {
        return new FileGroup(one.value(), one.count() + other.count(), Math.addExact(one.size(), other.size()),
                Math.addExact(one.blocks(), other.blocks()));
    }

    private void spill() {
        ExternalSort to = parts == null ? files.sort("parts") : parts;
        parts = to;
        files.run(() -> {
            for (FileGroup group : groups.values()) {
                to.add(group.value().getBytes(StandardCharsets.UTF_8),
                        ByteBuffer.allocate(3 * Long.BYTES)
                                .putLong(group.count())
                                .putLong(group.size())
                                .putLong(group.blocks())
                                .array());
            }
            return true;
        });
        groups.clear();
        weight = 0;
    }

    private static FileGroup read(byte[] value, byte[] content) {
        ByteBuffer numbers = ByteBuffer.wrap(content);
        return new FileGroup(new String(value, StandardCharsets.UTF_8), numbers.getLong(), numbers.getLong(),
                numbers.getLong());
    }

    /** Returns the whole groups. Closing them closes this object; nothing can be added any more. */
    FileGroups groups(FileGroups.Order order) {
        FileGroups whole = new FileGroups(files, order);
        ExternalSort all = parts;
        if (all == null) {
            groups.values().forEach(whole::add);
            groups.clear();
            return whole;
        }
        spill();
        try (Stream<FileGroup> sorted = files.stream(all, GroupSums::read)) {
            Iterator<FileGroup> next = sorted.iterator();
            FileGroup group = next.next();
            while (next.hasNext()) {
                FileGroup part = next.next();
                if (part.value().equals(group.value())) {
                    group = sum(group, part);
                } else {
                    whole.add(group);
                    group = part;
                }
            }
            whole.add(group);
        }
        return whole;
    }

    @Override
    public void close() {
        files.close();
    }
}
