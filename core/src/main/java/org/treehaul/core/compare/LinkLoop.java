// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Finds symbolic links that lead to themselves, at once or through others. If a link was copied over the file to which
 * it led, its target is right but the file is lost; the link now leads to itself.
 *
 * <p>
 * Looks only at targets that end with the link's own name or whose path stays in the tree, so that a file system
 * elsewhere, which may hang, is not accessed.
 */
final class LinkLoop {

    // As many as Linux follows in one path.
    private static final int MOST_LINKS = 40;

    private static final Set<Integer> LEADS_NOWHERE = Set.of(Errno.ENOENT, Errno.ENOTDIR, Errno.EACCES, Errno.ELOOP,
            Errno.ENAMETOOLONG);

    private final EntryPair pair;
    private final Side side;
    private final byte[] root;
    private final int depth;

    /**
     * Creates an instance for one side of a pair of links.
     *
     * @param root path of this side's root, as the user gave it
     */
    LinkLoop(EntryPair pair, Side side, ByteString root) {
        this.pair = pair;
        this.side = side;
        this.root = root.toBytes();
        // The depth of the directory to which the targets are relative; -1 above the root.
        this.depth = pair.found().path().depth() - 1;
    }

    /**
     * Returns whether the link leads to itself, given its target.
     *
     * @throws SideException if this cannot be found out, other than because a name is absent or may not be looked up
     */
    boolean leadsToItself(ByteString target) throws SideException {
        byte[] way = target.toBytes();
        try {
            for (int i = 0; i < MOST_LINKS && (hasLastName(way) || staysInTree(way)); i++) {
                FileAccess access = pair.found().access();
                FileStatus status = access.status(pair.directory(side), access.otherName(way));
                if (status.isSameFile(pair.status(side))) {
                    return true;
                }
                if (status.kind() != EntryKind.SYMLINK) {
                    return false;
                }
                way = join(way, linkTarget(access, way));
            }
        } catch (SystemCallException e) {
            if (!LEADS_NOWHERE.contains(e.errno())) {
                throw SideException.of(side, e);
            }
        }
        return false;
    }

    private byte[] linkTarget(FileAccess access, byte[] path) throws SystemCallException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(path.length + 1L);
            MemorySegment.copy(path, 0, name, ValueLayout.JAVA_BYTE, 0, path.length);
            return access.linkTarget(pair.directory(side), name).toBytes();
        }
    }

    // Returns the path to which a link leads, given the link's own path and its target.
    private static byte[] join(byte[] link, byte[] target) {
        if (target.length > 0 && target[0] == '/') {
            return target;
        }
        ByteArrayOutputStream path = new ByteArrayOutputStream();
        path.write(link, 0, lastName(link));
        path.writeBytes(target);
        return path.toByteArray();
    }

    private static int lastName(byte[] path) {
        int start = path.length;
        while (start > 0 && path[start - 1] != '/') {
            start--;
        }
        return start;
    }

    // Returns whether the name of the link, which may be a path, ends with the last name of this path.
    private boolean hasLastName(byte[] path) {
        int from = lastName(path);
        byte[] whole = pair.name(side).getString(0, StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.ISO_8859_1);
        int start = whole.length - (path.length - from);
        return start >= 0 && (start == 0 || whole[start - 1] == '/')
                && Arrays.equals(whole, start, whole.length, path, from, path.length);
    }

    // Examines only the text of the path.
    private boolean staysInTree(byte[] path) {
        int level = depth;
        int at = 0;
        if (path.length > 0 && path[0] == '/') {
            boolean isBelow = root.length > 1 && root[0] == '/' && path.length > root.length
                    && Arrays.equals(path, 0, root.length, root, 0, root.length)
                    && (root[root.length - 1] == '/' || path[root.length] == '/');
            level = isBelow ? 0 : -1;
            at = root.length;
        }
        while (level >= 0 && at < path.length) {
            int end = at;
            while (end < path.length && path[end] != '/') {
                end++;
            }
            int length = end - at;
            if (length == 2 && path[at] == '.' && path[at + 1] == '.') {
                level--;
            } else if (length > 1 || length == 1 && path[at] != '.') {
                level++;
            }
            at = end + 1;
        }
        return level >= 0;
    }
}
