// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.util.Objects;

/**
 * The type of a mounted file system.
 *
 * @param magic {@code f_type} of statfs(2); all file systems in user space share that of FUSE
 * @param name the name in {@code /proc/self/mountinfo}, such as {@code lustre} or {@code fuse.glusterfs}; empty if it
 *        is not known
 */
public record FileSystemType(long magic, String name) {

    public FileSystemType {
        Objects.requireNonNull(name);
    }
}
