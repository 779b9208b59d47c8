// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;
import static org.treehaul.core.fs.LinuxConstants.STATX_BASIC_STATS;
import static org.treehaul.core.fs.LinuxConstants.STATX_SIZE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.TreeListing;

/**
 * The kernel's calls as on mounts of network file systems: each has a behaviour of a real one, as seen through its
 * client. The type of file system is that of FUSE, and there are no unnamed files.
 */
public final class NetworkLike {

    /** FUSE_SUPER_MAGIC of linux/magic.h. */
    private static final long FUSE = 0x65735546L;

    private static final int FAT_UNIT = 2_000_000_000;

    /** A call and its result from the underlying calls. */
    private interface Behaviour {
        Object call(Method method, Object[] arguments) throws Throwable;
    }

    private NetworkLike() {}

    /** Returns calls as on MooseFS 3.0, whose listxattr omits ACLs, while getxattr returns them. */
    public static FileSystemCalls withoutListedAcls() {
        return over((method, arguments) -> {
            Object result = kernel(method, arguments);
            if (method.getName().endsWith("listxattr") && (long) result > 0) {
                return withoutAcls((MemorySegment) arguments[1], (long) result);
            }
            return result;
        });
    }

    private static long withoutAcls(MemorySegment list, long length) {
        String names = new String(list.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1);
        byte[] kept = names.replaceAll("system\\.posix_acl_(access|default)\0", "")
                .getBytes(StandardCharsets.ISO_8859_1);
        MemorySegment.copy(kept, 0, list, ValueLayout.JAVA_BYTE, 0, kept.length);
        return kept.length;
    }

    /**
     * Returns calls as on an rclone mount 1.60 with {@code --vfs-cache-mode off}: a file being written has the size of
     * the data written, accepts data only at its end, and cannot be read.
     */
    static FileSystemCalls inOrderOnly() {
        return over((method, arguments) -> {
            boolean isRefused = switch (method.getName()) {
                case "ftruncate" -> (long) arguments[1] != size((int) arguments[0]);
                case "pwrite" -> (long) arguments[2] != size((int) arguments[0]);
                case "copyFileRange", "fallocate", "ficlone" -> true;
                default -> false;
            };
            return isRefused ? refusal(method) : kernel(method, arguments);
        });
    }

    private static Object refusal(Method method) {
        return method.getReturnType() == long.class ? (Object) (long) -Errno.EPERM : (Object) (-Errno.EPERM);
    }

    /**
     * Returns calls as on GlusterFS 10.3, whose client still applies the default ACL of a directory after it was
     * removed.
     */
    public static FileSystemCalls keepingRemovedDefaultAcls() {
        Map<Long, byte[]> kept = new ConcurrentHashMap<>();
        return over((method, arguments) -> {
            String name = method.getName();
            if (name.equals("fremovexattr") && text((MemorySegment) arguments[1]).equals(PosixAcl.DEFAULT.toString())) {
                byte[] value = value((int) arguments[0]);
                if (value.length > 0) {
                    kept.put(inode((int) arguments[0]), value);
                }
            }
            Object result = kernel(method, arguments);
            boolean isMade = name.equals("openat") && ((int) arguments[2] & O_CREAT) != 0 || name.equals("mkdirat")
                    || name.equals("mknodat");
            byte[] acl = isMade && (int) result >= 0 ? kept.get(inode((int) arguments[0])) : null;
            if (acl != null) {
                give(acl, (int) arguments[0], (MemorySegment) arguments[1], name.equals("mkdirat"));
            }
            return result;
        });
    }

    private static void give(byte[] acl, int directory, MemorySegment name, boolean isDirectory) {
        try (Arena arena = Arena.ofConfined(); FileAccess access = FileAccess.open(Linux.calls())) {
            MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_BYTE, acl);
            int node = Linux.calls().openat(directory, name, O_NOFOLLOW | O_PATH, 0);
            for (String attribute : isDirectory
                    ? Set.of(PosixAcl.ACCESS.toString(), PosixAcl.DEFAULT.toString())
                    : Set.of(PosixAcl.ACCESS.toString())) {
                Linux.calls().setxattr(access.procPath(node), arena.allocateFrom(attribute), value, 0);
            }
            Linux.calls().close(node);
        }
    }

    private static byte[] value(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(4096);
            long size = Linux.calls().fgetxattr(descriptor, arena.allocateFrom(PosixAcl.DEFAULT.toString()), value);
            return size <= 0 ? new byte[0] : value.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /**
     * Returns calls as on MooseFS 3.0, whose client does not find a file under a name that was just renamed over
     * another, because its cache still holds the old one.
     */
    static FileSystemCalls losingReplacedNames() {
        Set<String> lost = ConcurrentHashMap.newKeySet();
        return over((method, arguments) -> {
            String name = method.getName();
            if (name.equals("renameat2")) {
                boolean isReplacing = exists((int) arguments[2], (MemorySegment) arguments[3]);
                Object result = kernel(method, arguments);
                if (isReplacing && (int) result == 0) {
                    lost.add(inode((int) arguments[2]) + "/" + text((MemorySegment) arguments[3]));
                }
                return result;
            }
            boolean isByName = Set.of("openat", "statx", "utimensat", "fchownat", "fchmodat").contains(name);
            boolean isLost = isByName && (int) arguments[0] >= 0
                    && lost.contains(inode((int) arguments[0]) + "/" + text((MemorySegment) arguments[1]));
            return isLost ? -Errno.ENOENT : kernel(method, arguments);
        });
    }

    /**
     * Returns calls that store times only to a unit, for all existing files below a directory: whole seconds on MooseFS
     * and over SFTP.
     *
     * @param unit in nanoseconds; two seconds are those of FAT, which is then the type of file system
     */
    public static FileSystemCalls keepingTimesTo(int unit, Path directory) {
        Set<Long> files = TreeListing.of(Linux.calls(), directory)
                .entries()
                .stream()
                .map(entry -> entry.status().inode())
                .collect(Collectors.toSet());
        return over((method, arguments) -> {
            Object result = kernel(method, arguments);
            if (method.getName().equals("statx") && (int) result == 0) {
                MemorySegment status = (MemorySegment) arguments[4];
                // struct statx: stx_ino; from 64 on four times of 16 bytes, nanoseconds after 8.
                boolean isCut = files.contains(status.get(ValueLayout.JAVA_LONG, 32));
                for (int at = 64; isCut && at < 128; at += 16) {
                    int nanos = status.get(ValueLayout.JAVA_INT, at + 8);
                    status.set(ValueLayout.JAVA_INT, at + 8, nanos / unit * unit);
                    long seconds = status.get(ValueLayout.JAVA_LONG, at);
                    status.set(ValueLayout.JAVA_LONG, at, unit == FAT_UNIT ? seconds & ~1L : seconds);
                }
            }
            return result;
        }, unit == FAT_UNIT ? FileSystemTypes.FAT : FUSE);
    }

    /**
     * Returns calls as on MooseFS 3.0, whose client keeps a listing as long as its descriptor is open: it does not find
     * a file under a name that was renamed over another in between.
     */
    static FileSystemCalls keepingListingsWhileOpen() {
        Map<Integer, Long> listed = new ConcurrentHashMap<>();
        FileSystemCalls stale = losingReplacedNames();
        return over((method, arguments) -> {
            switch (method.getName()) {
                case "getdents64" -> listed.put((int) arguments[0], inode((int) arguments[0]));
                case "close", "closeQuietly" -> listed.remove((int) arguments[0]);
                default -> {
                }
            }
            boolean isStale = arguments[0] instanceof Integer directory && directory >= 0
                    && listed.containsValue(inode(directory));
            return isStale ? call(stale, method, arguments) : kernel(method, arguments);
        });
    }

    /** Returns calls as over SFTP to a server with a umask of its own. */
    static FileSystemCalls creatingWithUmask(int umask) {
        return over((method, arguments) -> {
            if (method.getName().equals("openat") && ((int) arguments[2] & O_CREAT) != 0) {
                arguments[3] = (int) arguments[3] & ~umask;
            }
            return kernel(method, arguments);
        });
    }

    private static boolean exists(int directory, MemorySegment name) {
        try (Arena arena = Arena.ofConfined()) {
            return Linux.calls().statx(directory, name, 0x100, STATX_BASIC_STATS, arena.allocate(STATX_SIZE, 8)) == 0;
        }
    }

    private static String text(MemorySegment name) {
        return name.getString(0, StandardCharsets.ISO_8859_1);
    }

    private static long inode(int descriptor) {
        return field(descriptor, 32);
    }

    private static long size(int descriptor) {
        return field(descriptor, 40);
    }

    // Reads a field at an offset of struct statx: stx_ino, stx_size.
    private static long field(int descriptor, int offset) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(STATX_SIZE, 8);
            Linux.calls().statx(descriptor, FileAccess.emptyName(), AT_EMPTY_PATH, STATX_BASIC_STATS, status);
            return status.get(ValueLayout.JAVA_LONG, offset);
        }
    }

    private static Object kernel(Method method, Object[] arguments) throws Throwable {
        return call(Linux.calls(), method, arguments);
    }

    private static Object call(FileSystemCalls calls, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(calls, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static FileSystemCalls over(Behaviour behaviour) {
        return over(behaviour, FUSE);
    }

    private static FileSystemCalls over(Behaviour behaviour, long type) {
        return (FileSystemCalls) Proxy.newProxyInstance(NetworkLike.class.getClassLoader(),
                new Class<?>[]{FileSystemCalls.class}, (proxy, method, arguments) -> {
                    boolean isUnnamed = method.getName().equals("openat")
                            && ((int) arguments[2] & O_TMPFILE & ~O_DIRECTORY) != 0;
                    if (isUnnamed) {
                        return -Errno.EOPNOTSUPP;
                    }
                    Object result = behaviour.call(method, arguments);
                    if (method.getName().equals("fstatfs")) {
                        ((MemorySegment) arguments[1]).set(ValueLayout.JAVA_LONG, 0, type);
                    }
                    return result;
                });
    }
}
