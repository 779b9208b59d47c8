// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;

/**
 * Holds the latest results of retries. A digest of 128 bits replaces the path, so an entry takes 32 to 64 bytes. Among
 * a billion entries, two have the same digest with a probability below 1e-20. Not thread-safe.
 */
final class RetriedPlaces {

    // A slot has two words of the digest and one of the result, which is 0 in a free slot: flags, and above them the
    // number of entries.
    private static final int WORDS = 3;
    private static final int RESULT = 2;
    private static final long USED = 1;
    private static final long WHOLE = 2;
    private static final long PLANNED = 4;
    private static final int FLAGS = 3;

    // Made when it is needed: its first use opens the file with the classes of Java, and most transfers have no retries.
    private @Nullable MessageDigest sha;
    // A power of two of slots, of which at most three quarters are used.
    private long[] slots = new long[WORDS * 16];
    private int size;
    private long entries;
    private int replaced;

    /**
     * Adds a result. An entry that was copied as a whole stays so; one of which nothing was copied yet takes no memory.
     *
     * @param copied the number of entries that this retry copied
     */
    void put(int root, ByteString path, boolean isWhole, long copied) {
        ByteBuffer digest = digest(root, path);
        int slot = slot(digest.getLong(0), digest.getLong(Long.BYTES));
        if (slots[slot + RESULT] == 0) {
            if (!isWhole && copied == 0) {
                return;
            }
            if (size * 4 >= slots.length / WORDS * 3) {
                grow();
                slot = slot(digest.getLong(0), digest.getLong(Long.BYTES));
            }
            slots[slot] = digest.getLong(0);
            slots[slot + 1] = digest.getLong(Long.BYTES);
            size++;
        }
        set(slot, copied << FLAGS | slots[slot + RESULT] & (WHOLE | PLANNED) | USED | (isWhole ? WHOLE : 0));
    }

    /** Notes that the plan has a failure of an entry, if there is a result of it. */
    void plan(int root, ByteString path) {
        int slot = find(root, path);
        if (slots[slot + RESULT] != 0) {
            set(slot, slots[slot + RESULT] | PLANNED);
        }
    }

    private void set(int slot, long result) {
        entries += (result >> FLAGS) - (slots[slot + RESULT] >> FLAGS);
        replaced += (isReplaced(result) ? 1 : 0) - (isReplaced(slots[slot + RESULT]) ? 1 : 0);
        slots[slot + RESULT] = result;
    }

    private static boolean isReplaced(long result) {
        return (result & (WHOLE | PLANNED)) == WHOLE;
    }

    /** Returns whether a retry copied all of an entry. */
    boolean isWhole(int root, ByteString path) {
        return (slots[find(root, path) + RESULT] & WHOLE) != 0;
    }

    /** Returns whether a retry copied all of an entry of which the plan has no failure. */
    boolean isReplaced(int root, ByteString path) {
        return isReplaced(slots[find(root, path) + RESULT]);
    }

    /** Returns whether there is an entry that {@link #isReplaced(int, ByteString)}. */
    boolean hasReplaced() {
        return replaced > 0;
    }

    /** Returns the number of entries that the latest retries copied. */
    long entries() {
        return entries;
    }

    /** Returns the number of places that take memory. */
    int size() {
        return size;
    }

    private int find(int root, ByteString path) {
        ByteBuffer digest = digest(root, path);
        return slot(digest.getLong(0), digest.getLong(Long.BYTES));
    }

    private ByteBuffer digest(int root, ByteString path) {
        MessageDigest digest = sha == null ? newDigest() : sha;
        sha = digest;
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, root));
        return ByteBuffer.wrap(digest.digest(path.toBytes()));
    }

    // Users choose the paths: no two must be computable that have the same digest.
    private static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    // The slot of a digest, or the free one for it.
    private int slot(long first, long second) {
        int number = slots.length / WORDS;
        int at = (int) first & number - 1;
        while (slots[at * WORDS + RESULT] != 0 && (slots[at * WORDS] != first || slots[at * WORDS + 1] != second)) {
            at = at + 1 & number - 1;
        }
        return at * WORDS;
    }

    private void grow() {
        long[] old = slots;
        slots = new long[Math.multiplyExact(old.length, 2)];
        for (int from = 0; from < old.length; from += WORDS) {
            if (old[from + RESULT] != 0) {
                System.arraycopy(old, from, slots, slot(old[from], old[from + 1]), WORDS);
            }
        }
    }
}
