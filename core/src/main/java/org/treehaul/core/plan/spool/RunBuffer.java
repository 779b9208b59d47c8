// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Records of key and content in memory, sortable by key. Not safe for several threads. */
public final class RunBuffer {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** Length of the header of a record in bytes: the lengths of key and content. */
    static final int FRAME = 8;

    private static final int FIRST_BYTES = 4096;
    private static final int FIRST_STARTS = 64;

    // Initially empty: there may be many sorters without records.
    private byte[] data = {};
    private int[] starts = {};
    private int used;
    private int count;
    // The ends of the first parts that are in order, as far as this is known, and which order it is.
    private int[] knownEnds = {};
    private int knownParts;
    private boolean isKnownDescending;

    /** Returns the number of records. */
    public int count() {
        return count;
    }

    /** Returns the bytes of memory that the records take, with their headers. */
    public int usedBytes() {
        return used;
    }

    /** Returns the memory of the records. A record that is added later may be in another one. */
    public byte[] data() {
        return data;
    }

    /** Adds a record. */
    public void add(byte[] key, byte[] content) {
        int at = add(key.length, content.length);
        System.arraycopy(key, 0, data, at, key.length);
        System.arraycopy(content, 0, data, at + key.length, content.length);
    }

    /**
     * Adds a record whose bytes the caller then writes into {@link #data}.
     *
     * @return the offset of its key; its content follows the key
     */
    public int add(int keyLength, int contentLength) {
        int start = grow(Math.addExact(FRAME + keyLength, contentLength));
        INT.set(data, start, keyLength);
        INT.set(data, start + 4, contentLength);
        return start + FRAME;
    }

    /** Adds a record of another buffer. */
    public void add(RunBuffer other, int index) {
        int from = other.starts[index];
        int length = other.length(from);
        int start = grow(length);
        System.arraycopy(other.data, from, data, start, length);
    }

    /** Adds all records of another buffer, which is sorted as this one will be. */
    void addSorted(RunBuffer other, boolean descending) {
        reserve(Math.addExact(used, other.used), other.count);
        System.arraycopy(other.data, 0, data, used, other.used);
        for (int i = 0; i < other.count; i++) {
            starts[count + i] = used + other.starts[i];
        }
        int middle = count;
        count += other.count;
        used += other.used;
        know(middle, descending);
    }

    // The records from an index on are in order. They belong to the part before them, if they come after all of its records.
    private void know(int from, boolean descending) {
        forget(descending);
        if (from == count || from != knownRecords()) {
            return;
        }
        if (from > 0 && isInOrder(starts[from - 1], starts[from], descending)) {
            knownParts--;
        }
        knownEnds = knownParts == knownEnds.length
                ? Arrays.copyOf(knownEnds, Math.max(FIRST_STARTS, 2 * knownParts))
                : knownEnds;
        knownEnds[knownParts++] = count;
    }

    // Parts in the other order are of no use.
    private void forget(boolean descending) {
        knownParts = isKnownDescending == descending ? knownParts : 0;
        isKnownDescending = descending;
    }

    private int knownRecords() {
        return knownParts == 0 ? 0 : knownEnds[knownParts - 1];
    }

    private int grow(int length) {
        int end = Math.addExact(used, length);
        reserve(end, 1);
        int start = used;
        starts[count++] = start;
        used = end;
        return start;
    }

    private void reserve(int end, int records) {
        if (end > data.length) {
            data = Arrays.copyOf(data,
                    (int) Math.min(Integer.MAX_VALUE - 8, Math.max(FIRST_BYTES, Math.max(end, data.length * 2L))));
        }
        if (records > starts.length - count) {
            starts = Arrays.copyOf(starts, Math.max(FIRST_STARTS, Math.max(count + records, 2 * count)));
        }
    }

    /** Removes all records, and keeps the memory for others. */
    public void clear() {
        used = 0;
        count = 0;
        knownParts = 0;
    }

    /** Returns a copy of the key of a record. */
    public byte[] key(int index) {
        int at = starts[index] + FRAME;
        return Arrays.copyOfRange(data, at, at + (int) INT.get(data, starts[index]));
    }

    /** Returns a copy of the content of a record. */
    public byte[] content(int index) {
        int at = starts[index] + FRAME + (int) INT.get(data, starts[index]);
        return Arrays.copyOfRange(data, at, at + (int) INT.get(data, starts[index] + 4));
    }

    int start(int index) {
        return starts[index];
    }

    /** Returns the length of the record at an offset, including its header. */
    int length(int start) {
        return length(data, start);
    }

    int keyLength(int start) {
        return keyLength(data, start);
    }

    /** Returns the length of the record that begins at an offset, including its header. */
    static int length(byte[] records, int start) {
        return FRAME + (int) INT.get(records, start) + (int) INT.get(records, start + 4);
    }

    /** Returns the length of the key of the record that begins at an offset. */
    static int keyLength(byte[] records, int start) {
        return (int) INT.get(records, start);
    }

    /**
     * Sorts stably: records with equal keys keep their order, also in descending order. Takes the less time, the longer
     * the parts are that are in order already.
     */
    public void sort(boolean descending) {
        int[] ends = ends(descending);
        int parts = ends.length;
        int[] from = starts;
        int[] to = parts < 2 ? starts : new int[starts.length];
        while (parts > 1) {
            int merged = 0;
            int start = 0;
            for (int part = 0; part < parts; part += 2) {
                int end = ends[Math.min(part + 1, parts - 1)];
                merge(from, to, start, ends[part], end, descending);
                ends[merged++] = end;
                start = end;
            }
            parts = merged;
            int[] sorted = to;
            to = from;
            from = sorted;
        }
        starts = from;
        knownParts = 0;
        know(0, descending);
    }

    // The ends of the parts that are in order.
    private int[] ends(boolean descending) {
        forget(descending);
        int[] ends = Arrays.copyOf(knownEnds, Math.max(FIRST_STARTS, knownParts));
        int parts = knownParts;
        for (int start = knownRecords(); start < count; start = ends[parts++]) {
            ends = parts == ends.length ? Arrays.copyOf(ends, 2 * parts) : ends;
            ends[parts] = end(start, descending);
        }
        return Arrays.copyOf(ends, parts);
    }

    // The end of the part that is in order. Some file systems list the newest name first, and a part in the reverse order is as good
    // as one in order; none of its keys are equal.
    private int end(int start, boolean descending) {
        int end = start + 1;
        while (end < count && !isInOrder(starts[end - 1], starts[end], descending)) {
            end++;
        }
        for (int low = start, high = end - 1; low < high; low++, high--) {
            int swapped = starts[low];
            starts[low] = starts[high];
            starts[high] = swapped;
        }
        while (end < count && isInOrder(starts[end - 1], starts[end], descending)) {
            end++;
        }
        return end;
    }

    // Parts are often parts of different directories, of which one lies before the other as a whole.
    private void merge(int[] from, int[] to, int start, int middle, int end, boolean descending) {
        int left = start;
        int right = middle;
        int at = start;
        if (middle < end && !isInOrder(from[start], from[end - 1], descending)) {
            System.arraycopy(from, middle, to, start, end - middle);
            at += end - middle;
            right = end;
        } else if (middle < end && isInOrder(from[middle - 1], from[middle], descending)) {
            System.arraycopy(from, start, to, start, middle - start);
            at += middle - start;
            left = middle;
        }
        boolean isLeft = left < middle && right < end && isInOrder(from[left], from[right], descending);
        while (left < middle && right < end) {
            int first = isLeft ? left : right;
            int last = isLeft
                    ? reach(from, left, middle, from[right], true, descending)
                    : reach(from, right, end, from[left], false, descending);
            System.arraycopy(from, first, to, at, last - first);
            at += last - first;
            left = isLeft ? last : left;
            right = isLeft ? right : last;
            isLeft = !isLeft;
        }
        System.arraycopy(from, left, to, at, middle - left);
        System.arraycopy(from, right, to, at + middle - left, end - right);
    }

    // The end of the records that come before one of the other part, as the first of them does. The steps grow, because the
    // entries of a directory follow each other.
    private int reach(int[] from, int start, int end, int other, boolean isLeft, boolean descending) {
        int known = start;
        int step = 1;
        while (step < end - known && isBefore(from[known + step], other, isLeft, descending)) {
            known += step;
            step = 2 * step;
        }
        int low = known + 1;
        int high = Math.min(step, end - known) + known;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isBefore(from[middle], other, isLeft, descending)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    // If two records are equal, the one in the left part comes first.
    private boolean isBefore(int record, int other, boolean isLeft, boolean descending) {
        return isLeft ? isInOrder(record, other, descending) : !isInOrder(other, record, descending);
    }

    private boolean isInOrder(int a, int b, boolean descending) {
        int startA = a + FRAME;
        int startB = b + FRAME;
        int result = Arrays.compareUnsigned(data, startA, startA + (int) INT.get(data, a), data, startB,
                startB + (int) INT.get(data, b));
        return descending ? result >= 0 : result <= 0;
    }
}
