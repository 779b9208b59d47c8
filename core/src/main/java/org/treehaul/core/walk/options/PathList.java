// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * Reads lists of paths below a root, as {@code find} prints them: one per line, or each ended by a NUL.
 *
 * <p>
 * Paths are relative to the root; a leading {@code ./}, repeated slashes and a slash at the end do not matter. In a
 * list with one path per line, blank lines are skipped and no other character is special: a path that contains a
 * newline needs a list with NULs.
 */
public final class PathList {

    private PathList() {}

    /**
     * Reads a list.
     *
     * @param in the list; not closed
     * @param isNulSeparated whether each path ends with a NUL instead of a newline
     * @param name the name of the list in messages
     * @throws IllegalArgumentException if an item is not a path below a root; the message names its position and the
     *         remedy
     */
    public static SelectedPaths read(InputStream in, boolean isNulSeparated, String name) throws IOException {
        SelectedPaths selection = SelectedPaths.following();
        RecordReader records = new RecordReader(in, isNulSeparated ? 0 : '\n', name);
        byte @Nullable [] record = records.next();
        while (record != null) {
            if (record.length > 0) {
                selection.add(path(record, records));
            } else if (isNulSeparated) {
                throw new IllegalArgumentException(records.where() + " is empty; use '.' for the root itself");
            }
            record = records.next();
        }
        return selection;
    }

    /**
     * Reads a list that a program wrote, with a NUL after each path. A path that ends with a slash is a directory
     * without its content, one that ends with two slashes a symbolic link on the way that is followed; no other link
     * is.
     *
     * @param in the list; not closed
     * @param name the name of the list in messages
     * @throws IllegalArgumentException as {@link #read}
     */
    public static SelectedPaths readMarked(InputStream in, String name) throws IOException {
        SelectedPaths selection = SelectedPaths.strict();
        RecordReader records = new RecordReader(in, 0, name);
        for (byte @Nullable [] record = records.next(); record != null; record = records.next()) {
            if (record.length == 0) {
                throw new IllegalArgumentException(records.where() + " is empty");
            }
            TreePath path = path(record, records);
            int slashes = trailingSlashes(record);
            if (slashes == 0) {
                selection.add(path);
            } else if (slashes == 1) {
                selection.addDirectory(path);
            } else {
                selection.follow(path);
            }
        }
        return selection;
    }

    /**
     * Writes a path of a list for {@link #readMarked}.
     *
     * @param isAlone whether the path is a directory without its content
     * @throws UncheckedIOException if the list cannot be written
     */
    @Internal
    public static void writeMarked(OutputStream list, TreePath path, boolean isAlone) {
        try {
            list.write(path.isRoot() ? new byte[]{'.'} : path.toBytes());
            if (isAlone) {
                list.write('/');
            }
            list.write(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int trailingSlashes(byte[] listed) {
        int end = listed.length;
        while (end > 0 && listed[end - 1] == '/') {
            end--;
        }
        return listed.length - end;
    }

    private static TreePath path(byte[] listed, RecordReader records) {
        if (listed[0] == '/') {
            throw refused(listed, records, "is absolute; list paths relative to the root");
        }
        TreePath path = TreePath.root();
        int start = 0;
        for (int i = 0; i <= listed.length; i++) {
            if (i == listed.length || listed[i] == '/') {
                path = child(path, Arrays.copyOfRange(listed, start, i), listed, records);
                start = i + 1;
            }
        }
        return path;
    }

    private static TreePath child(TreePath parent, byte[] name, byte[] listed, RecordReader records) {
        boolean isDot = name.length == 1 && name[0] == '.';
        if (name.length == 0 || isDot) {
            return parent;
        }
        if (name.length == 2 && name[0] == '.' && name[1] == '.') {
            throw refused(listed, records, "leads outside the root by '..'; list the path without it");
        }
        try {
            return parent.child(name);
        } catch (IllegalArgumentException e) {
            // Only a NUL is left as the reason: names between slashes contain no slash.
            throw refused(listed, records, "contains NUL; use -0 if paths in the list end in NUL");
        }
    }

    private static IllegalArgumentException refused(byte[] listed, RecordReader records, String why) {
        return new IllegalArgumentException(records.where() + ": '" + ByteString.escape(listed) + "' " + why);
    }
}
