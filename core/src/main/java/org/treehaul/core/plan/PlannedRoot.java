// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.Arrays;

import org.treehaul.core.entry.ByteString;

/**
 * Where a source stands and where its copy is to stand.
 *
 * @param source absolute path
 * @param target absolute path of the copy itself
 */
public record PlannedRoot(ByteString source, ByteString target) {

    /**
     * Returns the target without slashes, and names {@code .}, at its end: equal where copies of several sources are
     * merged.
     */
    public ByteString place() {
        byte[] path = target.toBytes();
        int length = path.length;
        int before;
        do {
            before = length;
            while (length > 1 && path[length - 1] == '/') {
                length--;
            }
            if (length > 1 && path[length - 1] == '.' && path[length - 2] == '/') {
                length--;
            }
        } while (length < before);
        return ByteString.of(Arrays.copyOf(path, length));
    }
}
