// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;

import org.treehaul.core.entry.EntryKind;

/**
 * Checks owners and modes to ensure that only this user and root can change or replace a file, as sshd does with
 * StrictModes. ACLs are covered too: with an ACL, the group bits of the mode are the most that it grants.
 *
 * <p>
 * Reads without {@link FileSystemCalls}, like {@link ProcessStatus}: the files it examines are not files to copy.
 */
public final class SafePath {

    /** The write bits of group and others. */
    public static final int WRITE = 022;

    /** All bits of group and others. */
    public static final int ALL = 077;

    private static final int STICKY = 01000;
    // The kernel's limit: MAXSYMLINKS of linux/namei.h.
    private static final int MOST_LINKS = 40;

    private SafePath() {}

    /** The result of lstat. */
    private record Status(long owner, int mode) {
        static Status of(Path path) throws IOException {
            Map<String, Object> values = Files.readAttributes(path, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
            return new Status(number(values, "uid") & 0xFFFF_FFFFL, (int) number(values, "mode"));
        }

        private static long number(Map<String, Object> values, String name) {
            return ((Number) Objects.requireNonNull(values.get(name), name)).longValue();
        }

        boolean is(EntryKind kind) {
            return (mode & EntryKind.TYPE_MASK) == kind.typeBits();
        }

        String octal() {
            return Integer.toOctalString(mode & 07777);
        }
    }

    /**
     * Follows a path from the root of the file system and checks each directory on the way: it must belong to this user
     * or to root, and others may write in it only if it is sticky. A symbolic link must belong to this user or to root
     * too. The last component is followed but not checked. Because the check goes downwards, other users cannot change
     * the meaning of the returned path afterwards.
     *
     * @return the path without symbolic links; missing components are kept as they are
     * @throws UnsafePathException if another user can change where the path leads
     */
    public static Path resolve(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        long self = ProcessStatus.read().effectiveUid();
        Deque<Path> rest = new ArrayDeque<>();
        absolute.forEach(rest::add);
        Path at = absolute.getRoot();
        int links = 0;
        while (!rest.isEmpty()) {
            Path name = rest.removeFirst();
            if (name.toString().equals("..")) {
                at = Objects.requireNonNullElse(at.getParent(), at);
                continue;
            }
            if (name.toString().isEmpty() || name.toString().equals(".")) {
                continue;
            }
            requireWay(at, path, self);
            Path next = at.resolve(name);
            Status status;
            try {
                status = Status.of(next);
            } catch (NoSuchFileException e) {
                return missing(next, rest);
            }
            if (!status.is(EntryKind.SYMLINK)) {
                at = next;
                continue;
            }
            if (status.owner() != 0 && status.owner() != self) {
                throw new UnsafePathException(next + ", on the way to " + path + ", is a symbolic link of user "
                        + status.owner() + ", who can change where it leads");
            }
            links++;
            if (links > MOST_LINKS) {
                throw new FileSystemLoopException(path.toString());
            }
            Path target = Files.readSymbolicLink(next);
            at = target.isAbsolute() ? target.getRoot() : at;
            Deque<Path> names = new ArrayDeque<>();
            target.forEach(names::addFirst);
            names.forEach(rest::addFirst);
        }
        return at;
    }

    // A ".." after a missing component has no known target.
    private static Path missing(Path first, Deque<Path> rest) throws NoSuchFileException {
        Path all = first;
        for (Path name : rest) {
            if (name.toString().equals("..")) {
                throw new NoSuchFileException(first.toString());
            }
            all = all.resolve(name);
        }
        return all;
    }

    private static void requireWay(Path directory, Path to, long self) throws IOException {
        Status status = Status.of(directory);
        if (!status.is(EntryKind.DIRECTORY)) {
            throw new NotDirectoryException(directory.toString());
        }
        if (status.owner() != 0 && status.owner() != self) {
            throw new UnsafePathException(directory + " belongs to user " + status.owner()
                    + ", who can replace everything below it, so " + to + " is not trusted");
        }
        if ((status.mode() & WRITE) != 0 && (status.mode() & STICKY) == 0) {
            throw new UnsafePathException(directory + " is writable by others (mode " + status.octal()
                    + "), who can replace its contents, so " + to + " is not trusted: chmod go-w " + directory
                    + " if it is yours");
        }
    }

    /**
     * Checks a directory; does not follow a symbolic link.
     *
     * @param forbidden the mode bits that must not be set, {@link #WRITE} or {@link #ALL}
     * @throws UnsafePathException if it is not a directory of this user, or is open to others
     */
    public static void requireOwnDirectory(Path directory, int forbidden) throws IOException {
        Status status = Status.of(directory);
        if (!status.is(EntryKind.DIRECTORY)) {
            throw new UnsafePathException(directory + " is not a directory");
        }
        long self = ProcessStatus.read().effectiveUid();
        if (status.owner() != self) {
            throw new UnsafePathException(directory + " belongs to user " + status.owner() + ", not to " + self
                    + ": nothing in it is trusted");
        }
        if ((status.mode() & forbidden) != 0) {
            throw new UnsafePathException(directory + " is open to others (mode " + status.octal()
                    + "): nothing in it is trusted; check its contents, then chmod go-"
                    + (forbidden == WRITE ? "w " : "rwx ") + directory + " if all of it is yours");
        }
    }

    /** Returns whether a path is a regular file (not a symbolic link) of this user that others cannot write. */
    public static boolean isOwnFile(Path file) throws IOException {
        Status status = Status.of(file);
        return status.is(EntryKind.REGULAR) && status.owner() == ProcessStatus.read().effectiveUid()
                && (status.mode() & WRITE) == 0;
    }
}
