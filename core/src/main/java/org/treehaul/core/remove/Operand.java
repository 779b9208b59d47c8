// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import java.util.Arrays;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;

/**
 * A path that the user wants to remove.
 *
 * @param path the path without slashes at its end, through which the kernel would follow a symbolic link
 * @param hasSlash whether it had one, so that it must be a directory
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

    /** Returns the reason not to remove the path that its text alone gives. */
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

    private EntryFailure failure(String operation, int errno) {
        return new EntryFailure(EntryFailure.Kind.ERROR, path, TreePath.root(), operation, errno);
    }
}
