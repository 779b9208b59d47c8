// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.treehaul.core.plan.Items;

/**
 * Groups of items that stay together: those of one directory, or a part of them if there are too many. Stored outside
 * the heap, because there may be as many groups as items.
 */
final class Units implements Weights, AutoCloseable {

    private static final int FIELDS = 3;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment fields;
    private final long count;

    private Units(long count) {
        this.count = count;
        this.fields = arena.allocate((count + 1) * FIELDS * Long.BYTES, Long.BYTES);
    }

    /** Cuts the items where the directory changes, and where a group would exceed a limit. */
    static Units of(Items items, Weights weights, long maxFiles, long maxBytes) {
        Units none = new Units(0);
        long count;
        try (none) {
            count = cut(items, weights, maxFiles, maxBytes, none, false);
        }
        Units units = new Units(count);
        cut(items, weights, maxFiles, maxBytes, units, true);
        return units;
    }

    private static long cut(Items items, Weights weights, long maxFiles, long maxBytes, Units out, boolean isKept) {
        long unit = 0;
        long first = 0;
        while (first < items.count()) {
            int directory = items.directory(first);
            long end = first;
            long files = 0;
            long bytes = 0;
            while (end < items.count() && items.directory(end) == directory) {
                long moreFiles = files + weights.files(end);
                long moreBytes = bytes + weights.bytes(end);
                if (end > first && (moreFiles > maxFiles || moreBytes > maxBytes)) {
                    break;
                }
                files = moreFiles;
                bytes = moreBytes;
                end++;
            }
            if (isKept) {
                out.put(unit, first, bytes, files);
            }
            unit++;
            first = end;
        }
        if (isKept) {
            out.put(unit, first, 0, 0);
        }
        return unit;
    }

    private void put(long unit, long first, long bytes, long files) {
        fields.setAtIndex(ValueLayout.JAVA_LONG, unit * FIELDS, first);
        fields.setAtIndex(ValueLayout.JAVA_LONG, unit * FIELDS + 1, bytes);
        fields.setAtIndex(ValueLayout.JAVA_LONG, unit * FIELDS + 2, files);
    }

    /** Returns the first item of a unit; for the index after the last unit, the number of items. */
    long first(long unit) {
        return fields.getAtIndex(ValueLayout.JAVA_LONG, unit * FIELDS);
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public long bytes(long unit) {
        return fields.getAtIndex(ValueLayout.JAVA_LONG, unit * FIELDS + 1);
    }

    @Override
    public long files(long unit) {
        return fields.getAtIndex(ValueLayout.JAVA_LONG, unit * FIELDS + 2);
    }

    @Override
    public void close() {
        arena.close();
    }
}
