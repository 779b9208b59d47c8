// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/**
 * Describes a tree to make: directories and regular files by number, so that no list of names is kept.
 *
 * @param directories the number of directories below the root
 * @param directory the path of each below the root; a parent has a smaller number than its content
 * @param files the number of files
 * @param file the path of each below the root
 * @param size the bytes of each
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
