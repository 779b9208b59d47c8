// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.TargetFile;

/**
 * Sets the size of files before they are written. A file system that accepts data only in order, such as a mount of an
 * object store without a cache (rclone), refuses that: there one thread writes each file from beginning to end.
 */
public final class SizeAhead {

    private SizeAhead() {}

    /**
     * Sets the final size of an empty file.
     *
     * @return false if its data must be written in order
     */
    public static boolean set(TargetFile file, long size) throws TargetException {
        try {
            file.setSize(size);
            return true;
        } catch (SystemCallException e) {
            return switch (e.errno()) {
                case Errno.EPERM, Errno.EOPNOTSUPP, Errno.ENOSYS, Errno.EINVAL -> false;
                default -> throw new TargetException(e);
            };
        }
    }
}
