// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.storage.TargetFile;

/** Finds blocks of zeros in data: they can stay holes of a copy. */
final class ZeroBlocks {

    // The unit in which --sparse=always looks for zeros: the block size of most file systems.
    private static final int BLOCK = 4096;
    private static final MemorySegment ZEROS = Arena.global().allocate(BLOCK);

    private ZeroBlocks() {}

    /** Returns whether data are zeros only. */
    static boolean areZeros(MemorySegment data) {
        for (long i = 0; i < data.byteSize(); i += BLOCK) {
            if (!isZero(data, i, Math.min(BLOCK, data.byteSize() - i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the runs of blocks that are not all zeros. The blocks between them read as zeros once the size of the
     * file is set.
     *
     * @param at the offset of the data in the file
     */
    static List<TargetFile.Piece> pieces(MemorySegment data, long at) {
        List<TargetFile.Piece> runs = new ArrayList<>();
        long length = data.byteSize();
        long start = -1;
        for (long i = 0; i < length; i += BLOCK) {
            boolean isZero = isZero(data, i, Math.min(BLOCK, length - i));
            if (isZero && start >= 0) {
                runs.add(new TargetFile.Piece(data.asSlice(start, i - start), at + start));
                start = -1;
            } else if (!isZero && start < 0) {
                start = i;
            }
        }
        if (start >= 0) {
            runs.add(new TargetFile.Piece(data.asSlice(start), at + start));
        }
        return runs;
    }

    private static boolean isZero(MemorySegment data, long from, long length) {
        return MemorySegment.mismatch(data, from, from + length, ZEROS, 0, length) < 0;
    }
}
