// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.util.Arrays;

import org.treehaul.core.entry.ByteString;

/**
 * A source and its target.
 *
 * @param source absolute path
 * @param target absolute path of the copy itself; empty if the operation has no target
 */
public record PlannedRoot(ByteString source, ByteString target) {

    /** Returns the target without trailing slashes and {@code .} names: equal for sources whose copies are merged. */
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
