// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.tuning;

/** The types of file systems whose calls wait for an answer from elsewhere. */
public final class FarFileSystems {

    // Magic numbers from linux/magic.h and the file systems themselves: NFS, SMB2, CIFS, SMB, Ceph, FUSE, 9P, AFS of the
    // kernel, OpenAFS, Coda, Lustre, GPFS, BeeGFS, PanFS, OrangeFS, GFS2, OCFS2.
    private static final long[] TYPES = {0x6969, 0xFE534D42L, 0xFF534D42L, 0x517B, 0x00C36400, 0x65735546, 0x01021997,
            0x6B414653, 0x5346414F, 0x73757245, 0x0BD00BD0, 0x47504653, 0x19830326, 0xAAD7AAEAL, 0x20030528, 0x01161970,
            0x7461636F};

    private FarFileSystems() {}

    /**
     * Returns whether a file system of this type is usually far. Many file systems in user space (FUSE) are; the others
     * lose nothing by more threads.
     *
     * @param type f_type of fstatfs(2)
     */
    public static boolean isFar(long type) {
        for (long far : TYPES) {
            if (far == type) {
                return true;
            }
        }
        return false;
    }
}
