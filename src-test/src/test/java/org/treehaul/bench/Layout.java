// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/**
 * A tree to be made: directories and regular files by number, so that no list of names is kept.
 *
 * @param directories number of directories below the root
 * @param directory path of each below the root; a parent has a smaller number than what stands in it
 * @param files number of files
 * @param file path of each below the root
 * @param size bytes of each
 */
record Layout(int directories, IntFunction<String> directory, int files, IntFunction<String> file,
        IntToLongFunction size) {

    long bytes() {
        long sum = 0;
        for (int i = 0; i < files; i++) {
            sum += size.applyAsLong(i);
        }
        return sum;
    }

    /** Returns the number of entries below the root. */
    int entries() {
        return directories + files;
    }
}
