// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.walk.PathSelection;

/** Reads a list of paths below a root: one a line, or each ended by a NUL. */
final class FilesFrom {

    private final byte[] root;
    private final int separator;
    private final PathSelection selection = new PathSelection();
    private long count;

    private FilesFrom(ByteString root, boolean endsWithNul) {
        byte[] bytes = root.toBytes();
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == '/') {
            length--;
        }
        this.root = Arrays.copyOf(bytes, length);
        this.separator = endsWithNul ? 0 : '\n';
    }

    /**
     * Reads a list.
     *
     * @param file the list, or {@code -} for standard input
     * @param root what the paths stand below; an absolute path must begin with it
     * @throws IllegalArgumentException when a path leads out of the root; the message names its number in the list
     */
    static PathSelection read(ByteString file, ByteString root, boolean endsWithNul) throws IOException {
        FilesFrom list = new FilesFrom(root, endsWithNul);
        try (InputStream in = new BufferedInputStream(open(file), 64 * 1024)) {
            list.readAll(in);
        }
        return list.selection;
    }

    // A list whose name is not text in this locale can be opened all the same: through standard input, or here by /proc.
    private static InputStream open(ByteString file) throws IOException {
        return file.equals(ByteString.of("-")) ? new FileInputStream(FileDescriptor.in) : ByteFiles.open(file);
    }

    private void readAll(InputStream in) throws IOException {
        ByteArrayOutputStream path = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == separator) {
                add(path.toByteArray());
                path.reset();
            } else {
                path.write(b);
            }
        }
        add(path.toByteArray());
    }

    private void add(byte[] listed) {
        if (listed.length == 0) {
            return;
        }
        count++;
        TreePath path = TreePath.root();
        int at = 0;
        if (listed[0] == '/') {
            if (!isBelowRoot(listed)) {
                throw new IllegalArgumentException(
                        where(listed) + " does not stand below " + (root.length == 0 ? "/" : ByteString.escape(root)));
            }
            at = root.length;
        }
        while (at < listed.length) {
            int end = at;
            while (end < listed.length && listed[end] != '/') {
                end++;
            }
            byte[] name = Arrays.copyOfRange(listed, at, end);
            if (name.length > 0 && !(name.length == 1 && name[0] == '.')) {
                try {
                    path = path.child(name);
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(where(listed) + " leads elsewhere: " + e.getMessage(), e);
                }
            }
            at = end + 1;
        }
        selection.add(path);
    }

    private boolean isBelowRoot(byte[] listed) {
        return listed.length >= root.length && Arrays.equals(listed, 0, root.length, root, 0, root.length)
                && (listed.length == root.length || listed[root.length] == '/');
    }

    private String where(byte[] listed) {
        return "path " + count + " of the list, '" + ByteString.escape(listed) + "',";
    }
}
