// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The sums of all listings in an index, in memory: one pass over the totals takes a fifth of the time of looking each
 * directory up. Immutable.
 */
@Internal
public final class ListingSums {

    /** Directories of which the sums are kept, which takes eight megabytes; of larger indexes none are. */
    private static final int MOST = 1 << 18;

    /** Memory for groups while they are read. */
    private static final long BYTES = 1 << 20;

    private final EntrySum sums;
    private final boolean isComplete;
    /** An open hash table: the numbers of the paths, zero where there is none, and beside them the sums. */
    private final long[] paths;
    private final long[] values;
    /** Directories for which there is room: the space may get others while the sums are read. */
    private int free;

    private ListingSums(EntrySum sums, int count, boolean isComplete) {
        this.sums = sums;
        this.isComplete = isComplete;
        free = count;
        int size = Integer.highestOneBit(Math.max(1, count)) * 4;
        paths = new long[size];
        values = new long[size];
    }

    /** Returns sums of which none is known. */
    public static ListingSums none() {
        return new ListingSums(new EntrySum(0), 0, false);
    }

    /**
     * Reads the sums from a space.
     *
     * @param sums computes the sums as those of the space were computed
     */
    public static ListingSums read(TupleOperations tuples, EntrySum sums) {
        return read(tuples, sums, MOST);
    }

    static ListingSums read(TupleOperations tuples, EntrySum sums, int most) {
        Template<DirectoryTotals> all = Template.of(DirectoryTotals.class);
        long count = tuples.count(all);
        if (count > most) {
            return none();
        }
        ListingSums read = new ListingSums(sums, (int) count, true);
        // Groups of one tuple each, because they have only what is needed: three columns of fourteen.
        tuples.groupByInParts(all, List.of(DirectoryTotals.DIRECTORY, DirectoryTotals.NAME), BYTES, group -> {
            ByteString directory = (ByteString) Objects.requireNonNull(group.key().get(0));
            ByteString name = (ByteString) Objects.requireNonNull(group.key().get(1));
            read.add(FileTuple.join(directory, name), (Long) group.values().get(0));
        }, Aggregate.max("listing"));
        return read;
    }

    private void add(ByteString path, @Nullable Long listing) {
        if (listing != null && free > 0) {
            free--;
            long number = number(path);
            int at = place(number);
            while (paths[at] != 0) {
                at = at + 1 & paths.length - 1;
            }
            paths[at] = number;
            values[at] = listing;
        }
    }

    private long number(ByteString path) {
        return sums.of(path) | 1;
    }

    private int place(long number) {
        return (int) (number >>> 32) & paths.length - 1;
    }

    /** Returns whether those of all directories are here; otherwise the space has others. */
    public boolean isComplete() {
        return isComplete;
    }

    /** Returns whether the listing of a directory has this sum. */
    public boolean has(ByteString path, long sum) {
        long number = number(path);
        for (int at = place(number); paths[at] != 0; at = at + 1 & paths.length - 1) {
            if (paths[at] == number && values[at] == sum) {
                return true;
            }
        }
        return false;
    }
}
