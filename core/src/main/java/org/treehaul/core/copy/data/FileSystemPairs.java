// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import org.treehaul.core.fs.FileAccess;

/**
 * Remembers features that a file system, or a pair of file systems, lacks, so that each is tried once and not for each
 * file.
 */
public final class FileSystemPairs {

    /** A feature that not every file system has. */
    public enum Feature {
        /** FICLONE of ioctl. */
        REFLINK,
        /** open with O_TMPFILE, and linkat of it. */
        UNNAMED_TEMPORARY,
        /** renameat2 with RENAME_NOREPLACE. */
        RENAME_NOREPLACE
    }

    private record Key(Feature feature, long sourceDevice, long targetDevice) {}

    /** The kind of a file system, according to its type. */
    public enum Nature {
        /** Local: one thread at a time writes to a file, and copy_file_range copies the data once instead of twice. */
        LOCAL,
        /** On a server that may copy from one file to another by itself. */
        SERVER,
        /** Any other: on several servers, in user space, or unknown. */
        OTHER
    }

    // Magic numbers from linux/magic.h and the file systems themselves: NFS, SMB2, CIFS, Ceph.
    private static final Set<Long> SERVERS = Set.of(0x6969L, 0xFE534D42L, 0xFF534D42L, 0x00C36400L);

    // ext2 to ext4, XFS, Btrfs, tmpfs, ramfs, F2FS, overlayfs, FAT, exFAT.
    private static final Set<Long> LOCAL = Set.of(0xEF53L, 0x58465342L, 0x9123683EL, 0x01021994L, 0x858458F6L,
            0xF2F52010L, 0x794C7630L, 0x4D44L, 0x2011BAB0L);

    // tmpfs, ramfs.
    private static final Set<Long> IN_MEMORY = Set.of(0x01021994L, 0x858458F6L);

    // sysfs, procfs, configfs, debugfs, tracefs, securityfs, cgroup, cgroup2, selinuxfs, efivarfs, pstore, mqueue.
    private static final Set<Long> OF_KERNEL = Set.of(0x62656572L, 0x9FA0L, 0x62656570L, 0x64626720L, 0x74726163L,
            0x73636673L, 0x27E0EBL, 0x63677270L, 0xF97CFF8CL, 0xDE5E81E4L, 0x6165676CL, 0x19800202L);

    private final Map<Long, Long> types = new ConcurrentHashMap<>();
    private final Set<Key> lacking = ConcurrentHashMap.newKeySet();

    /**
     * Returns the kind of the file system on a device.
     *
     * @param type reads its type with fstatfs(2), called once for each device
     */
    public Nature nature(long device, LongSupplier type) {
        long magic = typeOf(device, type);
        return SERVERS.contains(magic) ? Nature.SERVER : LOCAL.contains(magic) ? Nature.LOCAL : Nature.OTHER;
    }

    /** Returns whether the file system of an open file on a device is local. */
    public boolean isLocal(FileAccess access, long device, int descriptor) {
        return nature(device, () -> access.fileSystemType(descriptor)) == Nature.LOCAL;
    }

    /**
     * Returns whether a device's file system exists only in the cache, so that there is no other storage to read back
     * from; {@code type} as above.
     */
    public boolean isInMemory(long device, LongSupplier type) {
        return IN_MEMORY.contains(typeOf(device, type));
    }

    /** Returns whether the kernel makes the data of a device's files when they are read; {@code type} as above. */
    public boolean isOfKernel(long device, LongSupplier type) {
        return OF_KERNEL.contains(typeOf(device, type));
    }

    private long typeOf(long device, LongSupplier type) {
        return types.computeIfAbsent(device, d -> type.getAsLong());
    }

    /** Returns whether a feature may work between two devices: it is not known to fail. */
    public boolean mayHave(Feature feature, long sourceDevice, long targetDevice) {
        return lacking.isEmpty() || !lacking.contains(new Key(feature, sourceDevice, targetDevice));
    }

    /** Records that a feature does not work between two devices. */
    public void lacks(Feature feature, long sourceDevice, long targetDevice) {
        lacking.add(new Key(feature, sourceDevice, targetDevice));
    }

    /** Returns whether a feature may work on a device. */
    public boolean mayHave(Feature feature, long device) {
        return mayHave(feature, device, device);
    }

    /** Records that a feature does not work on a device. */
    public void lacks(Feature feature, long device) {
        lacks(feature, device, device);
    }
}
