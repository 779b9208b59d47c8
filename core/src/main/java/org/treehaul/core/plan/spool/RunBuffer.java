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

    /** Returns the number of records. */
    public int count() {
        return count;
    }

    /** Returns the bytes of memory that the records take, with their headers. */
    public int usedBytes() {
        return used;
    }

    byte[] data() {
        return data;
    }

    /** Adds a record. */
    public void add(byte[] key, byte[] content) {
        int start = grow(FRAME + key.length + content.length);
        INT.set(data, start, key.length);
        INT.set(data, start + 4, content.length);
        System.arraycopy(key, 0, data, start + FRAME, key.length);
        System.arraycopy(content, 0, data, start + FRAME + key.length, content.length);
    }

    /** Adds a record of another buffer. */
    public void add(RunBuffer other, int index) {
        int from = other.starts[index];
        int length = other.length(from);
        int start = grow(length);
        System.arraycopy(other.data, from, data, start, length);
    }

    private int grow(int length) {
        int end = Math.addExact(used, length);
        if (end > data.length) {
            data = Arrays.copyOf(data,
                    (int) Math.min(Integer.MAX_VALUE - 8, Math.max(FIRST_BYTES, Math.max(end, data.length * 2L))));
        }
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, Math.max(FIRST_STARTS, 2 * count));
        }
        int start = used;
        starts[count++] = start;
        used = end;
        return start;
    }

    /** Removes all records, and keeps the memory for others. */
    public void clear() {
        used = 0;
        count = 0;
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
        return FRAME + (int) INT.get(data, start) + (int) INT.get(data, start + 4);
    }

    /** Sorts stably: records with equal keys keep their order, also in descending order. */
    public void sort(boolean descending) {
        int[] sorted = starts.clone();
        sort(sorted, starts, 0, count, descending);
        starts = sorted;
    }

    // Merges the halves of {@code from} into {@code to} after sorting both; both arrays have equal content at the
    // start.
    private void sort(int[] to, int[] from, int start, int end, boolean descending) {
        if (end - start < 2) {
            return;
        }
        int middle = (start + end) >>> 1;
        sort(from, to, start, middle, descending);
        sort(from, to, middle, end, descending);
        int left = start;
        int right = middle;
        for (int at = start; at < end; at++) {
            boolean takesLeft = right == end || left < middle && isInOrder(from[left], from[right], descending);
            to[at] = takesLeft ? from[left++] : from[right++];
        }
    }

    private boolean isInOrder(int a, int b, boolean descending) {
        int startA = a + FRAME;
        int startB = b + FRAME;
        int result = Arrays.compareUnsigned(data, startA, startA + (int) INT.get(data, a), data, startB,
                startB + (int) INT.get(data, b));
        return descending ? result >= 0 : result <= 0;
    }
}
