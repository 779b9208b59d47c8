// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.state.Host;
import org.treehaul.core.walk.listing.DirectoryRecords;

/** Servers that are directories which clients reach themselves. */
public final class LocalServers {

    private static final String SUFFIX = ".stage";

    private LocalServers() {}

    /** Returns an opener of such servers; one with an address, which needs a connection, is refused. */
    public static SegmentsOpener opener(FileSystemCalls calls) {
        return server -> {
            if (!server.address().isEmpty()) {
                throw new StageException(server.display(), "this program cannot connect to servers", Errno.EOPNOTSUPP);
            }
            return LocalSegments.open(calls, server);
        };
    }

    /**
     * Makes a directory of the stage, named after it, in each of these directories, and adds it to the servers as d1,
     * d2 and so on. One that the stage has already keeps its name.
     *
     * @param parents the directories as the user gave them
     * @throws StageException if one of them cannot be used; those before it are servers then
     */
    public static void add(FileSystemCalls calls, Catalogue catalogue, List<ByteString> parents) throws StageException {
        String host = Host.nameOr("localhost");
        for (ByteString parent : parents) {
            ByteString path = absolute(calls, parent).plus(ByteString.of("/" + catalogue.stage() + SUFFIX));
            UUID id = LocalSegments.make(calls, path);
            StageServer server = new StageServer(catalogue.stage(), "new", host, id, path, "");
            catalogue.checkOwn(server, opener(calls));
            catalogue.addNumbered("d", server);
        }
    }

    // Byte for byte: Java's own text of it depends on the locale.
    private static ByteString workingDirectory(FileSystemCalls calls) throws StageException {
        String link = "/proc/self/cwd";
        try (FileAccess access = FileAccess.open(calls)) {
            return access.linkTarget(AT_FDCWD, access.name(ByteString.of(link).toBytes()));
        } catch (SystemCallException e) {
            throw new StageException(link, e.operation(), e.errno(), e);
        }
    }

    private static ByteString absolute(FileSystemCalls calls, ByteString path) throws StageException {
        byte[] bytes = path.toBytes();
        int end = bytes.length;
        while (end > 1 && bytes[end - 1] == '/') {
            end--;
        }
        List<ByteString> parts = new ArrayList<>();
        if (bytes.length == 0 || bytes[0] != '/') {
            parts.add(workingDirectory(calls).plus(ByteString.of("/")));
        }
        ByteString all = ByteString.empty();
        parts.add(end == 1 && bytes[0] == '/' ? ByteString.empty() : ByteString.of(bytes, 0, end));
        for (ByteString part : parts) {
            all = all.plus(part);
        }
        return all;
    }

    /** The file that marks a directory as that of a server. */
    static final class Marker {

        private static final String NAME = "treehaul-stage";
        private static final String VERSION = "1";
        private static final int MOST_BYTES = 128;

        private Marker() {}

        /** As {@link LocalSegments#make}. */
        static UUID make(FileSystemCalls calls, ByteString path) throws StageException {
            try (FileAccess access = FileAccess.open(calls)) {
                int made = calls.mkdirat(AT_FDCWD, access.name(path.toBytes()), 0700);
                if (made < 0 && made != -Errno.EEXIST) {
                    throw new SystemCallException("mkdir", -made);
                }
                int descriptor = directory(access, path);
                try {
                    Optional<UUID> known = id(access, descriptor);
                    if (known.isPresent()) {
                        return known.get();
                    }
                    if (hasOthers(access, descriptor)) {
                        throw new SystemCallException(
                                "the directory is not empty, and not that of a stage: name an empty one or a new one",
                                0);
                    }
                    UUID id = write(access, descriptor);
                    FileAccess.check("fsync", calls.fsync(descriptor));
                    syncParent(access, path);
                    return id;
                } finally {
                    access.closeQuietly(descriptor);
                }
            } catch (SystemCallException e) {
                throw new StageException(path.toString(), e.operation(), e.errno(), e);
            }
        }

        private static boolean hasOthers(FileAccess access, int directory) throws SystemCallException {
            boolean[] hasOthers = {false};
            DirectoryRecords.forEach(access, directory, access.buffer(), (records, at) -> {
                String name = new String(DirectoryRecords.nameBytes(records, at), StandardCharsets.ISO_8859_1);
                hasOthers[0] |= !name.equals(".") && !name.equals("..") && !name.equals(NAME);
            });
            return hasOthers[0];
        }

        // One that has no id is left by a process that was killed. The lock tells it from one that writes it.
        private static UUID write(FileAccess access, int directory) throws SystemCallException {
            int marker = open(access, directory, O_CREAT | O_EXCL | O_WRONLY);
            boolean isLeft = marker == -Errno.EEXIST;
            if (isLeft) {
                marker = open(access, directory, O_WRONLY);
            }
            FileAccess.check("open", marker);
            int locked = access.calls().ofdLock(marker, LinuxConstants.F_WRLCK);
            boolean isOther = locked == -Errno.EAGAIN || locked == -Errno.EACCES;
            boolean isWritten = locked == 0 && access.status(marker).size() > 0;
            if (isOther || isWritten || isLeft && locked < 0) {
                access.closeQuietly(marker);
                if (isWritten) {
                    return id(access, directory).orElseThrow();
                }
                throw new SystemCallException("another process may be writing the file " + NAME
                        + " in the directory: repeat this, and remove the file if it stays empty", -locked);
            }
            UUID id = UUID.randomUUID();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment line = arena.allocateFrom(NAME + " " + VERSION + " " + id + "\n",
                        StandardCharsets.US_ASCII);
                LocalSegments.closing(access, marker, true, (ignored, file) -> {
                    access.writeFully(file, line.asSlice(0, line.byteSize() - 1), 0);
                    // Without it, segments that are durable could not be reached after a crash.
                    return FileAccess.check("fsync", access.calls().fsync(file));
                });
                return id;
            } catch (SystemCallException e) {
                // On a full disk, a marker with a part of an id would stop each later run.
                access.calls().unlinkat(directory, access.name(NAME.getBytes(StandardCharsets.US_ASCII)), 0);
                throw e;
            }
        }

        private static int open(FileAccess access, int directory, int flags) throws SystemCallException {
            return access.tryOpen(directory, access.name(NAME.getBytes(StandardCharsets.US_ASCII)),
                    flags | O_NOFOLLOW | O_NONBLOCK, 0600);
        }

        private static void syncParent(FileAccess access, ByteString path) throws SystemCallException {
            int slash = path.length() - 1;
            while (path.at(slash) != '/') {
                slash--;
            }
            ByteString parent = ByteString.of(path.toBytes(), 0, Math.max(1, slash));
            int descriptor = access.tryOpen(AT_FDCWD, access.name(parent.toBytes()), O_DIRECTORY | O_NONBLOCK, 0);
            if (descriptor == -Errno.EACCES) {
                // Users may make directories in it, and not list it.
                return;
            }
            FileAccess.check("open", descriptor);
            try {
                FileAccess.check("fsync", access.calls().fsync(descriptor));
            } finally {
                access.closeQuietly(descriptor);
            }
        }

        /** Opens a directory. Another user who may write in it could have any file written. */
        static int directory(FileAccess access, ByteString path) throws SystemCallException {
            int descriptor = access.open(AT_FDCWD, access.name(path.toBytes()), O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK,
                    0);
            try {
                FileStatus status = access.status(descriptor);
                if (status.uid() != user() || (status.permissions() & 022) != 0) {
                    throw new SystemCallException("the directory belongs to another user, or others can write to it",
                            Errno.EACCES);
                }
                return descriptor;
            } catch (SystemCallException e) {
                access.closeQuietly(descriptor);
                throw e;
            }
        }

        private static long user() throws SystemCallException {
            try {
                return ProcessStatus.read().effectiveUid();
            } catch (IOException e) {
                throw new SystemCallException("read /proc/self/status", Errno.EIO);
            }
        }

        /** Returns the id that an open directory has; empty if it has none. */
        static Optional<UUID> id(FileAccess access, int directory) throws SystemCallException {
            int marker = open(access, directory, O_RDONLY);
            if (marker == -Errno.ENOENT) {
                return Optional.empty();
            }
            FileAccess.check("open", marker);
            try {
                MemorySegment content = access.buffer().asSlice(0, MOST_BYTES);
                byte[] bytes = content.asSlice(0, access.readFully(marker, content, 0)).toArray(ValueLayout.JAVA_BYTE);
                if (bytes.length == 0) {
                    return Optional.empty();
                }
                String[] words = new String(bytes, StandardCharsets.ISO_8859_1).strip().split(" ", -1);
                if (words.length != 3 || !words[0].equals(NAME)) {
                    throw new SystemCallException("the file " + NAME + " in the directory is damaged", 0);
                }
                if (!words[1].equals(VERSION)) {
                    throw new SystemCallException("the directory is of version " + ByteString.printable(words[1])
                            + " of a stage, this program knows " + VERSION, 0);
                }
                return Optional.of(UUID.fromString(words[2]));
            } catch (IllegalArgumentException e) {
                throw new SystemCallException("the file " + NAME + " in the directory is damaged", 0);
            } finally {
                access.closeQuietly(marker);
            }
        }
    }
}
