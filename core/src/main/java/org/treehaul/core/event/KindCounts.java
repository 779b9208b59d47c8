// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Map;

import org.treehaul.core.annotation.Internal;

/** Reads and writes the numbers of entries of each kind, for exchange between processes of the same version. */
@Internal
public final class KindCounts {

    private KindCounts() {}

    /** Writes the count of each of these kinds. */
    public static <K> void write(DataOutput out, K[] kinds, Map<K, Long> counts) throws IOException {
        for (K kind : kinds) {
            out.writeLong(counts.getOrDefault(kind, 0L));
        }
    }

    /** Reads the counts of the same kinds and adds them. */
    public static <K> void read(DataInput in, K[] kinds, Map<K, Long> into) throws IOException {
        for (K kind : kinds) {
            long count = in.readLong();
            if (count > 0) {
                into.merge(kind, count, Long::sum);
            }
        }
    }
}
