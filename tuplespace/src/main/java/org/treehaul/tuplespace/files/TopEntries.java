// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.TupleCodec;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The entries with the greatest values in a field. Entries with equal values are in the order of the bytes of their
 * paths. Keeps only as many entries as requested; if these do not fit into memory, sorts all in files. Used by one
 * thread.
 */
final class TopEntries implements AutoCloseable {

    private static final TupleType<FileTuple> TYPE = TupleType.of(FileTuple.class);
    /** Approximate bytes that an entry takes in memory besides its texts. */
    private static final int ENTRY = 400;

    /**
     * An entry and its place in the order.
     *
     * @param rank the value of the field as an unsigned number, the greatest value first
     */
    private record Ranked(long rank, ByteString path, FileTuple entry) implements Comparable<Ranked> {

        @Override
        public int compareTo(Ranked other) {
            int byRank = Long.compareUnsigned(rank, other.rank);
            return byRank == 0 ? path.compareTo(other.path) : byRank;
        }

        byte[] key() {
            return ByteBuffer.allocate(Long.BYTES + path.length()).putLong(rank).put(path.toBytes()).array();
        }

        long weight() {
            ByteString target = entry.target();
            return ENTRY + 2L * path.length() + (target == null ? 0 : target.length());
        }
    }

    private final FileField field;
    private final int count;
    private final long most;
    private final QueryFiles files;
    private final PriorityQueue<Ranked> best = new PriorityQueue<>(Comparator.reverseOrder());
    private long weight;
    private long added;
    private @Nullable ExternalSort sort;

    /**
     * Creates an empty selection.
     *
     * @param count number of entries to find, at least 1
     */
    TopEntries(FileField field, int count, QueryMemory memory) {
        this.field = field;
        this.count = count;
        this.most = memory.bytes();
        this.files = new QueryFiles(memory);
    }

    /** Adds an entry, if it has a value in the field. */
    void add(FileTuple entry) {
        Long value = entry.number(field);
        if (value == null) {
            return;
        }
        added++;
        // The sign bit is inverted to compare as unsigned, then all bits, because the greatest value comes first.
        long rank = ~(value ^ Long.MIN_VALUE);
        if (sort == null && best.size() == count && Long.compareUnsigned(rank, best.element().rank) > 0) {
            return;
        }
        Ranked ranked = new Ranked(rank, entry.path(), entry);
        if (sort != null) {
            spill(sort, ranked);
            return;
        }
        best.add(ranked);
        weight += ranked.weight();
        if (best.size() > count) {
            weight -= best.remove().weight();
        }
        if (weight > most) {
            ExternalSort all = files.sort("top");
            best.forEach(one -> spill(all, one));
            best.clear();
            sort = all;
        }
    }

    private void spill(ExternalSort to, Ranked ranked) {
        files.run(() -> {
            // The key has the path.
            FileTuple rest = ranked.entry.in(ByteString.empty());
            to.add(ranked.key(), TupleCodec.encode(TYPE, rest).toArray());
            return true;
        });
    }

    private static FileTuple read(byte[] key, byte[] content) {
        ByteString path = ByteString.of(Arrays.copyOfRange(key, Long.BYTES, key.length));
        return TupleCodec.decode(TYPE, Bytes.of(content)).in(FileTuple.directoryOf(path));
    }

    /** Returns whether as many entries as requested were found. */
    boolean isFull() {
        return added >= count;
    }

    /** Returns the entries found, the greatest first. Closing the stream closes this object, and so does a failure. */
    Stream<FileTuple> stream() {
        ExternalSort all = sort;
        if (all != null) {
            try {
                return files.stream(all, TopEntries::read).limit(count).onClose(this::close);
            } catch (UncheckedIOException e) {
                close();
                throw e;
            }
        }
        List<Ranked> sorted = new ArrayList<>(best);
        sorted.sort(Comparator.naturalOrder());
        return sorted.stream().map(Ranked::entry).onClose(this::close);
    }

    @Override
    public void close() {
        files.close();
    }
}
