// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntPredicate;

import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;

/** The kernel's calls on file systems that claim to be of another type. */
public final class FileSystemTypes {

    /** NFS_SUPER_MAGIC of linux/magic.h. */
    public static final long NFS = 0x6969;

    /** LL_SUPER_MAGIC of Lustre's lustre_user.h. */
    public static final long LUSTRE = 0x0BD00BD0;

    /** TMPFS_MAGIC of linux/magic.h. */
    public static final long TMPFS = 0x01021994;

    /** MSDOS_SUPER_MAGIC of linux/magic.h. */
    public static final long FAT = 0x4D44;

    private FileSystemTypes() {}

    public static FileSystemCalls saying(long magic) {
        return saying(magic, -1);
    }

    /** Returns calls on file systems of which only the one in a directory claims to be of another type. */
    public static FileSystemCalls saying(long magic, Path directory) {
        return saying(magic, -1, descriptor -> {
            try {
                return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).startsWith(directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /**
     * Returns calls on file systems that also claim to have little free space.
     *
     * @param freeBlocks the free blocks, for root and for others; -1 for the true numbers
     */
    public static FileSystemCalls saying(long magic, long freeBlocks) {
        return saying(magic, freeBlocks, descriptor -> true);
    }

    private static FileSystemCalls saying(long magic, long freeBlocks, IntPredicate isMeant) {
        return (FileSystemCalls) Proxy.newProxyInstance(FileSystemTypes.class.getClassLoader(),
                new Class<?>[]{FileSystemCalls.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(Linux.calls(), arguments);
                        if (method.getName().equals("fstatfs") && isMeant.test((int) arguments[0])) {
                            MemorySegment statfs = (MemorySegment) arguments[1];
                            statfs.set(ValueLayout.JAVA_LONG, 0, magic);
                            if (freeBlocks >= 0) {
                                // f_bfree and f_bavail of struct statfs.
                                statfs.setAtIndex(ValueLayout.JAVA_LONG, 3, freeBlocks);
                                statfs.setAtIndex(ValueLayout.JAVA_LONG, 4, freeBlocks);
                            }
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
