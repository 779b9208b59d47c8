// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static org.treehaul.core.fs.FileAccess.check;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_RDWR;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * Creates trees below a directory, only by system calls: any name, any depth.
 *
 * <p>
 * Paths are names separated by slashes, below that directory; missing parents are created. Failures are
 * {@link UncheckedIOException}s that contain the {@link SystemCallException}. {@link #close} sets modes and times of
 * directories, the deepest first, so that directories may be unwritable and keep their times.
 */
public final class TreeWriter implements AutoCloseable {

    private static final byte[] HERE = {'.'};

    private final FileAccess access;
    private final FileSystemCalls calls;
    private final int rootDescriptor;
    private final Made root = new Made();
    private final List<Late> late = new ArrayList<>();

    // The directory of the last entry stays open: in a deep tree, going to it from the root each time takes too long.
    private int lastDescriptor;
    private Made last = root;
    private byte[] lastPath = {};
    /** Length of the part of the last path that leads to the directory, with the slash after it. */
    private int lastLength;

    private interface Action {
        void on(int directory, MemorySegment name) throws SystemCallException;
    }

    private interface Content {
        void into(int descriptor) throws SystemCallException;
    }

    /** A directory that this writer has made, by names: the paths of all directories of a deep tree take gigabytes. */
    private static final class Made {
        private final Map<ByteString, Made> children = new HashMap<>();
    }

    private record Late(ByteString path, Action action) {
        long depth() {
            return path.toString().chars().filter(c -> c == '/').count();
        }
    }

    private TreeWriter(FileSystemCalls calls, Path root) {
        this.access = FileAccess.open(calls);
        this.calls = calls;
        try {
            byte[] path = root.toString().getBytes(StandardCharsets.UTF_8);
            this.rootDescriptor = access.open(AT_FDCWD, access.name(path), O_PATH | O_DIRECTORY, 0);
            this.lastDescriptor = openHere(rootDescriptor);
        } catch (SystemCallException failure) {
            access.close();
            throw new UncheckedIOException(root.toString(), failure);
        }
    }

    /** Opens an existing directory, in which to create trees. Belongs to the calling thread. */
    public static TreeWriter in(FileSystemCalls calls, Path root) {
        return new TreeWriter(calls, root);
    }

    /** Creates a directory unless it exists. */
    public TreeWriter directory(ByteString path) {
        at(path, (directory, name) -> {
            if (path.length() > 0) {
                make(name(path));
            }
        });
        return this;
    }

    /** Creates a file with this content. */
    public TreeWriter file(ByteString path, byte[] content) {
        create(path, descriptor -> access.writeFully(descriptor, put(0, content).asSlice(0, content.length)));
        return this;
    }

    /** Creates a file with this many random bytes, the same for the same seed. */
    public TreeWriter file(ByteString path, long size, long seed) {
        create(path, descriptor -> writeRandom(descriptor, 0, size, new SplittableRandom(seed)));
        return this;
    }

    /** Creates a file of this size that is a hole except for a block of 4096 bytes at each of the offsets. */
    public TreeWriter sparse(ByteString path, long size, long... dataAt) {
        create(path, descriptor -> {
            SplittableRandom random = new SplittableRandom(size);
            for (long offset : dataAt) {
                writeRandom(descriptor, offset, Math.min(4096, size - offset), random);
            }
            check("ftruncate", calls.ftruncate(descriptor, size));
        });
        return this;
    }

    /** Changes one byte of a file's content. */
    public TreeWriter flipByte(ByteString path, long offset) {
        at(path, (directory, name) -> {
            int descriptor = access.open(directory, name, O_RDWR | O_NOFOLLOW, 0);
            try {
                MemorySegment one = access.buffer().asSlice(0, 1);
                access.readFully(descriptor, one, offset);
                one.set(ValueLayout.JAVA_BYTE, 0, (byte) ~one.get(ValueLayout.JAVA_BYTE, 0));
                access.writeFully(descriptor, one, offset);
            } finally {
                access.close(descriptor);
            }
        });
        return this;
    }

    /** Changes one byte of a file's content as a faulty disk does: its size and mtime stay. */
    public TreeWriter damage(ByteString path, long offset) {
        List<Timestamp> before = new ArrayList<>();
        at(path, (directory, name) -> before.add(access.status(directory, name).mtime()));
        return flipByte(path, offset).times(path, before.getFirst());
    }

    /** Removes an entry that is not a directory. */
    public TreeWriter remove(ByteString path) {
        at(path, (directory, name) -> check("unlink", calls.unlinkat(directory, name, 0)));
        return this;
    }

    /** Creates a symbolic link. */
    public TreeWriter symlink(ByteString path, ByteString target) {
        at(path, (directory, name) -> check("symlink",
                calls.symlinkat(access.otherName(target.toBytes()), directory, name)));
        return this;
    }

    /** Creates another name for a file. */
    public TreeWriter hardLink(ByteString existing, ByteString path) {
        try {
            int from = openParent(existing);
            int to = openParent(path);
            int result = calls.linkat(from, access.name(name(existing).toBytes()), to,
                    access.otherName(name(path).toBytes()), 0);
            access.closeQuietly(from);
            access.closeQuietly(to);
            check("link", result);
        } catch (SystemCallException failure) {
            throw new UncheckedIOException(path.toString(), failure);
        }
        return this;
    }

    /** Creates a FIFO, a socket, or a device with a number encoded as by makedev(3). */
    public TreeWriter special(ByteString path, EntryKind kind, long device) {
        at(path, (directory, name) -> check("mknod", calls.mknodat(directory, name, kind.typeBits() | 0644, device)));
        return this;
    }

    /** Sets the permission bits; for a directory, at the end. */
    public TreeWriter mode(ByteString path, int mode) {
        soonOrLate(path, (directory, name) -> check("chmod", calls.fchmodat(directory, name, mode)));
        return this;
    }

    /** Sets the owner. Must be called before the mode is set, because it clears set-id bits. */
    public TreeWriter owner(ByteString path, long uid, long gid) {
        at(path, (directory, name) -> check("chown",
                calls.fchownat(directory, name, (int) uid, (int) gid, AT_SYMLINK_NOFOLLOW)));
        return this;
    }

    /** Sets the access and modification time; for a directory, at the end. */
    public TreeWriter times(ByteString path, Timestamp time) {
        soonOrLate(path, (directory, name) -> {
            MemorySegment both = access.buffer().asSlice(0, 32);
            for (int i = 0; i < 2; i++) {
                both.set(ValueLayout.JAVA_LONG, 16L * i, time.seconds());
                both.set(ValueLayout.JAVA_LONG, 16L * i + 8, time.nanos());
            }
            check("utimens", calls.utimensat(directory, name, both, AT_SYMLINK_NOFOLLOW));
        });
        return this;
    }

    /** Sets an extended attribute; for a symbolic link, on the link itself. */
    public TreeWriter attribute(ByteString path, ByteString attribute, ByteString value) {
        at(path, (directory, name) -> {
            // Through the /proc link of a descriptor, because a FIFO cannot be opened and a symbolic link must not be
            // followed.
            int node = check("open", calls.openat(directory, name, O_PATH | O_NOFOLLOW, 0));
            MemorySegment link = access.otherName(("/proc/self/fd/" + node).getBytes(StandardCharsets.US_ASCII));
            try {
                check("setxattr", calls.setxattr(link, put(0, attribute.toBytes()),
                        put(512, value.toBytes()).asSlice(0, value.length()), 0));
            } finally {
                access.closeQuietly(node);
            }
        });
        return this;
    }

    /** Sets the remaining modes and times of directories, and closes. */
    @Override
    public void close() {
        late.sort(Comparator.comparingLong(Late::depth).reversed());
        try {
            late.forEach(entry -> at(entry.path(), entry.action()));
        } finally {
            access.closeQuietly(lastDescriptor);
            access.closeQuietly(rootDescriptor);
            access.close();
        }
    }

    private void soonOrLate(ByteString path, Action action) {
        if (isMade(path)) {
            late.add(new Late(path, action));
        } else {
            at(path, action);
        }
    }

    private void at(ByteString path, Action action) {
        try {
            int directory = openParent(path);
            try {
                action.on(directory, path.length() == 0 ? access.name(HERE) : access.name(name(path).toBytes()));
            } finally {
                access.closeQuietly(directory);
            }
        } catch (SystemCallException failure) {
            throw new UncheckedIOException(path.toString(), failure);
        }
    }

    private void create(ByteString path, Content content) {
        at(path, (directory, name) -> {
            int descriptor = access.open(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
            try {
                content.into(descriptor);
            } finally {
                access.close(descriptor);
            }
        });
    }

    private int openParent(ByteString path) throws SystemCallException {
        byte[] bytes = path.toBytes();
        if (!Arrays.equals(bytes, 0, Math.min(bytes.length, lastLength), lastPath, 0, lastLength)) {
            keep(openHere(rootDescriptor), root, 0);
        }
        lastPath = bytes;
        for (int i = lastLength; i < bytes.length; i++) {
            if (bytes[i] == '/') {
                byte[] name = Arrays.copyOfRange(bytes, lastLength, i);
                Made directory = make(ByteString.of(name));
                keep(access.open(lastDescriptor, access.name(name), O_PATH | O_DIRECTORY | O_NOFOLLOW, 0), directory,
                        i + 1);
            }
        }
        return openHere(lastDescriptor);
    }

    private void keep(int descriptor, Made directory, int length) {
        access.closeQuietly(lastDescriptor);
        lastDescriptor = descriptor;
        last = directory;
        lastLength = length;
    }

    private int openHere(int directory) throws SystemCallException {
        return access.open(directory, access.name(HERE), O_PATH | O_DIRECTORY, 0);
    }

    /** Makes a directory in the last one, unless this writer has made it before. */
    private Made make(ByteString name) throws SystemCallException {
        @Nullable Made made = last.children.get(name);
        if (made == null) {
            int result = calls.mkdirat(lastDescriptor, access.name(name.toBytes()), 0755);
            if (result != -Errno.EEXIST) {
                check("mkdir", result);
            }
            made = new Made();
            last.children.put(name, made);
        }
        return made;
    }

    private boolean isMade(ByteString path) {
        byte[] bytes = path.toBytes();
        @Nullable Made made = root;
        for (int start = 0; made != null && start < bytes.length;) {
            int end = start;
            while (end < bytes.length && bytes[end] != '/') {
                end++;
            }
            made = made.children.get(ByteString.of(Arrays.copyOfRange(bytes, start, end)));
            start = end + 1;
        }
        return made != null;
    }

    private void writeRandom(int descriptor, long offset, long size, SplittableRandom random)
            throws SystemCallException {
        byte[] block = new byte[(int) Math.min(size, FileAccess.BUFFER_BYTES)];
        for (long done = 0; done < size; done += block.length) {
            random.nextBytes(block);
            MemorySegment buffer = access.buffer().asSlice(0, Math.min(block.length, size - done));
            MemorySegment.copy(block, 0, buffer, ValueLayout.JAVA_BYTE, 0, (int) buffer.byteSize());
            access.writeFully(descriptor, buffer, offset + done);
        }
    }

    // Puts a value for a call into the buffer, with a NUL after it.
    private MemorySegment put(long at, byte[] bytes) {
        MemorySegment room = access.buffer().asSlice(at);
        MemorySegment.copy(bytes, 0, room, ValueLayout.JAVA_BYTE, 0, bytes.length);
        room.set(ValueLayout.JAVA_BYTE, bytes.length, (byte) 0);
        return room;
    }

    private static ByteString name(ByteString path) {
        byte[] bytes = path.toBytes();
        int start = bytes.length;
        while (start > 0 && bytes[start - 1] != '/') {
            start--;
        }
        return ByteString.of(Arrays.copyOfRange(bytes, start, bytes.length));
    }
}
