// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

import org.treehaul.core.copy.failure.RetryPolicy;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileId;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/**
 * The targets of the roots: each target path as an open directory and a name in it. Symbolic links on the way there are
 * followed, because the user gave the path. Safe for any number of threads.
 */
public final class TargetRoots implements AutoCloseable {

    private static final MemorySegment DOT = FileAccess.put(Arena.global().allocate(2), ByteString.of("."));

    private final DirectoryPool pool;
    private final List<CopyPair> pairs;
    private final Map<ByteString, TargetDirectory> parents = new ConcurrentHashMap<>();
    private final EnteredListener listener;
    private final Set<TargetDirectory> swept = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<Directory> opened = new ConcurrentLinkedQueue<>();
    private final Set<FileId> copies = ConcurrentHashMap.newKeySet();

    /** Called with each directory before anything is copied into it. */
    public interface EnteredListener {
        void entered(FileStatus directory, int descriptor) throws SystemCallException;
    }

    public TargetRoots(DirectoryPool pool, List<CopyPair> pairs, EnteredListener listener) {
        this.pool = pool;
        this.pairs = pairs;
        this.listener = listener;
    }

    /** Returns the last name of a target: {@code .} for a path without one, or one that ends in dots. */
    public ByteString name(int rootIndex) {
        byte[] path = pairs.get(rootIndex).target().toBytes();
        int start = nameStart(path);
        byte[] name = Arrays.copyOfRange(path, start, path.length);
        if (isDots(name)) {
            return ByteString.of(".");
        }
        int length = name.length;
        // Several slashes mean the same as one, and a name must fit into a call.
        while (length > 1 && name[length - 1] == '/' && name[length - 2] == '/') {
            length--;
        }
        return ByteString.of(Arrays.copyOf(name, length));
    }

    /** Returns the directory that contains a target; roots with the same parent share it. */
    public TargetDirectory parent(int rootIndex, FileAccess access) throws SystemCallException {
        byte[] path = pairs.get(rootIndex).target().toBytes();
        int start = nameStart(path);
        byte[] last = Arrays.copyOfRange(path, start, path.length);
        byte[] above = isDots(last) ? path : Arrays.copyOf(path, start);
        ByteString key = above.length == 0 ? ByteString.of(".") : ByteString.of(above);
        TargetDirectory known = parents.get(key);
        if (known != null) {
            return known;
        }
        TargetDirectory parent = open(key, access);
        TargetDirectory earlier = parents.putIfAbsent(key, parent);
        return earlier == null ? parent : earlier;
    }

    /** Returns the names of the roots' copies in a directory. */
    List<ByteString> namesIn(TargetDirectory parent, FileAccess access) throws SystemCallException {
        List<ByteString> names = new ArrayList<>();
        for (int i = 0; i < pairs.size(); i++) {
            if (parent(i, access) == parent) {
                names.add(name(i));
            }
        }
        return names;
    }

    /** Returns true on the first call for a directory, which the caller must then sweep. */
    public boolean isToSweep(TargetDirectory parent) {
        return swept.add(parent);
    }

    private TargetDirectory open(ByteString path, FileAccess access) throws SystemCallException {
        int descriptor;
        boolean isReadable = true;
        try (LongPath longPath = LongPath.of(access, path)) {
            MemorySegment name = access.name(longPath.rest());
            descriptor = access.tryOpen(longPath.base(), name, O_DIRECTORY | O_NONBLOCK, 0);
            if (descriptor == -Errno.EACCES) {
                // Entries can be made and found in a directory that may be searched but not listed.
                isReadable = false;
                descriptor = access.tryOpen(longPath.base(), name, O_DIRECTORY | O_PATH, 0);
            }
            FileAccess.check("open", descriptor);
        }
        Directory handle = pool.root(descriptor, path);
        opened.add(handle);
        FileStatus status = access.status(descriptor);
        listener.entered(status, descriptor);
        ByteString defaultAcl = isReadable
                ? TargetDirectory.defaultAcl(access, descriptor)
                : ExtendedAttributes.get(access, descriptor, DOT, ExtendedAttributes.ACL_DEFAULT).orElse(null);
        return new TargetDirectory(handle, status, false, defaultAcl, false, false);
    }

    /** Takes over the descriptor of a target that is itself a directory. */
    public Directory openRoot(int rootIndex, int descriptor) {
        Directory handle = pool.root(descriptor, pairs.get(rootIndex).target());
        opened.add(handle);
        return handle;
    }

    /** Records a directory that is itself the copy of a root. */
    public void remember(FileStatus root) {
        copies.add(FileId.of(root));
    }

    /**
     * Returns whether a directory of the source is the copy of a root: then a bind mount or a followed link has led
     * there, and the copy would never end.
     */
    public boolean isTarget(FileStatus directory) {
        return copies.contains(FileId.of(directory));
    }

    // Trailing slashes belong to the name: they make the kernel follow a link there.
    private static int nameStart(byte[] path) {
        int end = path.length;
        while (end > 0 && path[end - 1] == '/') {
            end--;
        }
        int start = end;
        while (start > 0 && path[start - 1] != '/') {
            start--;
        }
        return start;
    }

    private static boolean isDots(byte[] last) {
        int length = last.length;
        while (length > 0 && last[length - 1] == '/') {
            length--;
        }
        return length == 0 || last[0] == '.' && (length == 1 || length == 2 && last[1] == '.');
    }

    /** Syncs the directories that contain the copies of the roots. */
    public void sync(RetryPolicy retries, FileAccess access, BiConsumer<ByteString, SystemCallException> failures) {
        parents.forEach((path, parent) -> {
            RetryPolicy.Failure failed = retries.run(0, tries -> sync(parent.handle(), access));
            if (failed != null && failed.cause() instanceof SystemCallException e) {
                failures.accept(path, e);
            }
        });
    }

    private static void sync(Directory parent, FileAccess access) throws SystemCallException {
        int descriptor = parent.acquire(access);
        try {
            Directory.sync(access, descriptor);
        } finally {
            parent.release();
        }
    }

    @Override
    public void close() {
        opened.forEach(pool::closeRoot);
    }
}
