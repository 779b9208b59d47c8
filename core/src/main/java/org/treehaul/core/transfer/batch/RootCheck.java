// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlannedProbe;
import org.treehaul.core.transfer.directory.ThisProcess;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.operation.EntrySettings;

/**
 * Checks whether this node sees the trees that an operation without destination was planned for. A tree that is gone is
 * fine only if the directory that contained it is seen: on a node that lacks the mount everything would seem to be
 * gone.
 */
public final class RootCheck {

    private RootCheck() {}

    /**
     * Returns the inode number of the directory that contains a path, for {@link #check}.
     *
     * @throws SystemCallException if it cannot be examined
     */
    static String place(FileAccess access, ByteString path) throws SystemCallException {
        return Long.toUnsignedString(status(access, above(path)).inode());
    }

    /**
     * Checks the roots of a plan.
     *
     * @param isTrusted whether inode numbers may have changed, as a user has confirmed
     * @throws WrongMountException if a root is not visible on this host
     */
    public static void check(FileSystemCalls calls, Plan plan, boolean isTrusted) throws WrongMountException {
        try (FileAccess access = FileAccess.open(calls)) {
            for (int root = 0; root < plan.header().roots().size(); root++) {
                ByteString source = plan.header().roots().get(root).source();
                String place = plan.header().settings().getOrDefault(EntrySettings.PLACE + root, "");
                if (!isSeen(access, plan, root, place, isTrusted)) {
                    throw new WrongMountException("wrong mount: " + source + " on host " + ThisProcess.host()
                            + " is not the directory that was planned: mount its file system there, or leave this node "
                            + "out; if it was removed together with the directory that contained it, or if it is mounted and "
                            + "only has new inode numbers, 'treehaul resume --force' continues");
                }
            }
        }
    }

    /**
     * Returns whether this host sees a root, or that it is gone from the directory that contained it.
     *
     * @param place the inode number of that directory, as planned
     * @param isTrusted whether inode numbers may have changed
     */
    static boolean isSeen(FileAccess access, Plan plan, int root, String place, boolean isTrusted) {
        ByteString source = plan.header().roots().get(root).source();
        Optional<PlannedProbe> probe = plan.probes()
                .stream()
                .filter(one -> one.root() == root && one.path().isRoot())
                .findFirst();
        try {
            FileStatus found = status(access, source);
            if (probe.isEmpty() || probe.get().kind() != EntryKind.DIRECTORY) {
                // Each entry is compared before it is changed.
                return isPlace(access, source, place, isTrusted);
            }
            return found.inode() == probe.get().inode() || isTrusted && found.kind() == EntryKind.DIRECTORY;
        } catch (SystemCallException e) {
            return isAbsent(e) && isPlace(access, source, place, isTrusted);
        }
    }

    private static boolean isPlace(FileAccess access, ByteString source, String place, boolean isTrusted) {
        try {
            return place(access, source).equals(place) || isTrusted;
        } catch (SystemCallException e) {
            return isAbsent(e) && isTrusted;
        }
    }

    /**
     * Returns whether an error means that nothing exists under a path, perhaps because a file is in the place of a
     * directory above it.
     */
    static boolean isAbsent(SystemCallException e) {
        return isAbsent(e.errno());
    }

    private static boolean isAbsent(int errno) {
        return errno == Errno.ENOENT || errno == Errno.ENOTDIR;
    }

    /** Returns whether nothing exists under a path. */
    public static boolean isAbsent(FileAccess access, ByteString path) {
        return isAbsent(errno(access, path));
    }

    /** Returns whether a path can be examined: that it exists, or that nothing exists under it. */
    public static boolean answers(FileAccess access, ByteString path) {
        int errno = errno(access, path);
        return errno == 0 || isAbsent(errno);
    }

    // 0 if something exists there.
    private static int errno(FileAccess access, ByteString path) {
        try {
            status(access, path);
            return 0;
        } catch (SystemCallException e) {
            return e.errno();
        }
    }

    private static FileStatus status(FileAccess access, ByteString path) throws SystemCallException {
        return LongPath.status(access, path, false);
    }

    // With a trailing slash and a dot, so that a symbolic link to the directory is followed.
    static ByteString above(ByteString path) {
        byte[] bytes = path.toBytes();
        int end = bytes.length;
        while (end > 1 && bytes[end - 1] == '/') {
            end--;
        }
        while (end > 0 && bytes[end - 1] != '/') {
            end--;
        }
        byte[] above = Arrays.copyOf(bytes, end + 1);
        above[end] = '.';
        return ByteString.of(above);
    }

    /** Returns the inode numbers of the directories that contain the given paths. */
    public static List<String> places(FileSystemCalls calls, List<ByteString> paths) throws SystemCallException {
        try (FileAccess access = FileAccess.open(calls)) {
            List<String> places = new ArrayList<>();
            for (ByteString path : paths) {
                places.add(place(access, path));
            }
            return places;
        }
    }
}
