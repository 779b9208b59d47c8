// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import java.util.Arrays;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/**
 * A path that the user wants to remove.
 *
 * @param path the path without trailing slashes, because with one the kernel would follow a symbolic link
 * @param hasSlash whether it had a trailing slash, so that it must be a directory
 */
record Operand(ByteString path, boolean hasSlash) {

    static final String IS_TOP = "refused to remove '/'";

    private static final String IS_DOTS = "refused to remove '.' or '..'";

    static Operand of(ByteString given) {
        byte[] bytes = given.toBytes();
        int end = bytes.length;
        while (end > 1 && bytes[end - 1] == '/') {
            end--;
        }
        return new Operand(ByteString.of(Arrays.copyOf(bytes, end)), end < bytes.length);
    }

    private int nameStart() {
        int start = path.length();
        while (start > 0 && path.at(start - 1) != '/') {
            start--;
        }
        return start;
    }

    /** Returns the last name of the path. */
    ByteString name() {
        return ByteString.of(path.toBytes(), nameStart(), path.length());
    }

    /** Returns the path before the last name, with its slash; empty if there is none. */
    ByteString above() {
        return ByteString.of(path.toBytes(), 0, nameStart());
    }

    /** Returns the path of the directory that contains it. */
    ByteString directory() {
        return nameStart() == 0 ? ByteString.of(".") : above();
    }

    /** Returns why the path must not be removed, if its text alone shows a reason. */
    Optional<EntryFailure> refusal() {
        String text = path.toString();
        if (text.isEmpty()) {
            return Optional.of(failure("stat", Errno.ENOENT));
        }
        if (text.equals("/")) {
            return Optional.of(failure(IS_TOP, 0));
        }
        String name = text.substring(text.lastIndexOf('/') + 1);
        return name.equals(".") || name.equals("..") ? Optional.of(failure(IS_DOTS, 0)) : Optional.empty();
    }

    /**
     * Checks the status.
     *
     * @throws SystemCallException if it is a directory and those are not removed, or if it must be a directory and is
     *         not
     */
    void check(FileStatus status, boolean recursive) throws SystemCallException {
        boolean isDirectory = status.kind() == EntryKind.DIRECTORY;
        if (isDirectory ? !recursive : hasSlash) {
            throw new SystemCallException("unlink", isDirectory ? Errno.EISDIR : Errno.ENOTDIR);
        }
    }

    private EntryFailure failure(String operation, int errno) {
        return new EntryFailure(EntryFailure.Kind.ERROR, path, TreePath.root(), operation, errno);
    }
}
