// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;

/**
 * Gives files that are to be written their sizes. A file system that takes data only in their order, such as a mount of
 * an object store without a cache (rclone), refuses that: there each file is written from its beginning to its end by
 * one thread.
 */
final class SizeAhead {

    private SizeAhead() {}

    /**
     * Gives an empty file the size that it is to have.
     *
     * @return false where its data must be written in order
     */
    static boolean set(FileAccess access, int file, long size) throws TargetException {
        int result = access.calls().ftruncate(file, size);
        return switch (-result) {
            case Errno.EPERM, Errno.EOPNOTSUPP, Errno.ENOSYS, Errno.EINVAL -> false;
            default -> {
                TargetException.check("ftruncate", result);
                yield true;
            }
        };
    }
}
