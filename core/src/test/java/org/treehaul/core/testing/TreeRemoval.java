// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static org.treehaul.core.fs.FileAccess.check;
import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/** Deletes trees of any depth, with any names, even directories without permissions. */
public final class TreeRemoval {

    private TreeRemoval() {}

    private record Frame(ByteString name, Deque<ByteString> directories) {}

    /** Deletes the directory with its content; symbolic links are deleted, not followed. */
    public static void remove(FileSystemCalls calls, Path root) throws IOException {
        clear(calls, root);
        Files.delete(root);
    }

    /** Deletes the content of the directory. */
    public static void clear(FileSystemCalls calls, Path root) throws IOException {
        try (TreeCursor cursor = new TreeCursor(calls, root)) {
            Deque<Frame> frames = new ArrayDeque<>();
            frames.push(new Frame(ByteString.empty(), removeFiles(cursor)));
            while (!frames.isEmpty()) {
                Frame frame = frames.element();
                ByteString next = frame.directories().poll();
                if (next != null) {
                    FileAccess access = cursor.access();
                    check("chmod", access.calls().fchmodat(cursor.directory(), access.name(next.toBytes()), 0700));
                    cursor.down(next);
                    frames.push(new Frame(next, removeFiles(cursor)));
                } else {
                    frames.pop();
                    if (!frames.isEmpty()) {
                        cursor.up();
                        check("rmdir", unlink(cursor, frame.name(), AT_REMOVEDIR));
                    }
                }
            }
        }
    }

    /** Removes entries that can be removed without going down; returns the remaining directories. */
    private static Deque<ByteString> removeFiles(TreeCursor cursor) throws SystemCallException {
        Deque<ByteString> left = new ArrayDeque<>();
        for (ByteString name : cursor.list()) {
            // For a directory, POSIX specifies EPERM; Linux returns EISDIR.
            int result = unlink(cursor, name, 0);
            if (result == -Errno.EISDIR || result == -Errno.EPERM) {
                left.add(name);
            } else {
                check("unlink", result);
            }
        }
        return left;
    }

    private static int unlink(TreeCursor cursor, ByteString name, int flags) throws SystemCallException {
        FileAccess access = cursor.access();
        return access.calls().unlinkat(cursor.directory(), access.name(name.toBytes()), flags);
    }
}
