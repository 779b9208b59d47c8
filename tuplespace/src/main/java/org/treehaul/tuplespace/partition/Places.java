// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.treehaul.tuplespace.partition.Control.Moved;
import org.treehaul.tuplespace.partition.copies.Copies;
import org.treehaul.tuplespace.partition.copies.Copy;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The new places of tuples that splits have moved, as {@link Moved} tuples of the old store. Such a tuple has a lease
 * that ends with the last of the tuples that it names, and {@link #clean} removes those whose tuples are gone.
 */
final class Places {
    private static final Template<Moved> MOVED = Template.of(Moved.class);
    /** Bytes of a pair of ids. */
    private static final int PAIR = 2 * Long.BYTES;
    /** Tuples that one {@link Moved} names, which takes 16 kB. */
    private static final int PORTION = 1000;

    private Places() {}

    /** Notes copies in a transaction of the old store. */
    static void note(Store from, int to, Copies copies, long transaction) {
        // Apart, because the places of tuples without an end have none either.
        List<Place> ending = new ArrayList<>();
        List<Place> lasting = new ArrayList<>();
        copies.forEach((tuple, copy) -> {
            List<Place> some = copy.expiresAt() == Store.NEVER ? lasting : ending;
            some.add(new Place(tuple, copy));
            if (some.size() == PORTION) {
                note(from, to, some, transaction);
            }
        });
        note(from, to, ending, transaction);
        note(from, to, lasting, transaction);
    }

    private record Place(long tuple, Copy copy) {}

    private static void note(Store from, int to, List<Place> places, long transaction) {
        if (!places.isEmpty()) {
            ByteBuffer pairs = ByteBuffer.allocate(places.size() * PAIR);
            places.forEach(one -> pairs.putLong(one.tuple()).putLong(one.copy().id()));
            long end = places.stream().mapToLong(one -> one.copy().expiresAt()).max().orElse(Store.NEVER);
            from.write(List.of(moved(pairs.array(), to)), end, transaction);
            places.clear();
        }
    }

    private static Moved moved(byte[] pairs, int to) {
        ByteBuffer ids = ByteBuffer.wrap(pairs);
        return new Moved(ids.getLong(0), ids.getLong(pairs.length - PAIR), to, Bytes.of(pairs));
    }

    /**
     * Returns the number in the whole of a tuple that has left a partition; empty if none is known.
     *
     * @param expiresAt an end of its lease, until which its place is kept
     */
    static Optional<Long> of(Partition partition, long own, long expiresAt) {
        Template<Moved> range = MOVED.atMost("first", own).atLeast("last", own);
        // The ranges of several splits overlap.
        for (Stored<Moved> stored : all(partition.store, range, Store.NONE)) {
            Optional<Long> found = find(stored.tuple(), own);
            if (found.isPresent()) {
                if (expiresAt != Long.MIN_VALUE && end(partition.store, stored) < expiresAt) {
                    partition.store.renew(stored.id(), expiresAt);
                }
                return found;
            }
        }
        return Optional.empty();
    }

    private static long end(Store store, Stored<Moved> stored) {
        return stored.expiresAt() == Store.NEVER ? Store.NEVER : stored.expiresAt() - store.ahead();
    }

    private static List<Stored<Moved>> all(Store store, Template<Moved> template, long transaction) {
        try (Stream<Stored<Moved>> all = store.contents(template, Optional.empty(), Long.MAX_VALUE, transaction)) {
            return all.toList();
        }
    }

    private static Optional<Long> find(Moved moved, long own) {
        ByteBuffer pairs = ByteBuffer.wrap(moved.ids().toArray());
        int low = 0;
        int high = pairs.capacity() / PAIR - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long found = pairs.getLong(middle * PAIR);
            if (found == own) {
                return Optional.of(Ids.of(moved.to(), pairs.getLong(middle * PAIR + Long.BYTES)));
            }
            low = found < own ? middle + 1 : low;
            high = found < own ? high : middle - 1;
        }
        return Optional.empty();
    }

    /** Removes the places of tuples that are gone. */
    static void clean(Partition partition, Router router) {
        List<Template<Moved>> each;
        try (Stream<Stored<Moved>> all = partition.store.contents(MOVED, Optional.empty(), Long.MAX_VALUE,
                Store.NONE)) {
            each = all.map(stored -> same(stored.tuple())).toList();
        }
        for (Template<Moved> some : each) {
            for (Stored<Moved> stored : all(partition.store, some, Store.NONE)) {
                Moved moved = stored.tuple();
                byte[] kept = kept(moved, router.partition(moved.to()));
                if (kept.length < moved.ids().length()) {
                    Alone.in(partition.store, alone -> replace(partition.store, moved, kept, alone));
                }
            }
        }
    }

    private static Template<Moved> same(Moved moved) {
        return MOVED.equal("first", moved.first()).equal("last", moved.last()).equal("to", moved.to());
    }

    private static boolean replace(Store store, Moved moved, byte[] kept, long alone) {
        Template<Moved> same = same(moved);
        // Read again: another process may have cleaned it or changed its lease.
        for (Stored<Moved> present : all(store, same, alone)) {
            if (present.tuple().equals(moved)) {
                store.remove(same, alone);
                if (kept.length > 0) {
                    store.write(List.of(moved(kept, moved.to())), end(store, present), alone);
                }
            }
        }
        return true;
    }

    /** Returns the pairs whose tuples are in the new partition, or have left that one too. */
    private static byte[] kept(Moved moved, Partition to) {
        ByteBuffer pairs = ByteBuffer.wrap(moved.ids().toArray());
        long[] ids = new long[pairs.capacity() / PAIR];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = pairs.getLong(i * PAIR + Long.BYTES);
        }
        Set<Long> existing = new HashSet<>();
        Arrays.stream(to.store.existing(ids)).forEach(existing::add);
        ByteBuffer kept = ByteBuffer.allocate(pairs.capacity());
        for (int i = 0; i < ids.length; i++) {
            // Its own place was noted in the same step in which it left.
            if (existing.contains(ids[i]) || of(to, ids[i], Long.MIN_VALUE).isPresent()) {
                kept.putLong(pairs.getLong(i * PAIR)).putLong(ids[i]);
            }
        }
        return Arrays.copyOf(kept.array(), kept.position());
    }
}
