// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.options;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/** Splits and joins paths as users write them, by the rules of basename(3) and dirname(3). */
@Internal
public final class UserPath {

    private static final ByteString DOT = ByteString.of(".");
    private static final ByteString SLASH = ByteString.of("/");

    private UserPath() {}

    /** Returns whether a path ends with a slash. */
    public static boolean endsWithSlash(ByteString path) {
        return path.length() > 0 && path.at(path.length() - 1) == '/';
    }

    /** Returns a path without trailing slashes; a path of slashes alone becomes one slash. */
    public static ByteString stripSlashes(ByteString path) {
        int length = path.length();
        while (length > 1 && path.at(length - 1) == '/') {
            length--;
        }
        return slice(path, 0, length);
    }

    /** Returns a path without trailing slashes and without trailing names {@code .}. */
    public static ByteString withoutDot(ByteString path) {
        ByteString stripped = stripSlashes(path);
        int length = stripped.length();
        boolean isDot = length > 1 && stripped.at(length - 1) == '.' && stripped.at(length - 2) == '/';
        return isDot ? withoutDot(slice(stripped, 0, length - 1)) : stripped;
    }

    /**
     * Returns the last name without trailing slashes: {@code .} and {@code ..} are names; the name of the root is
     * empty.
     */
    public static ByteString baseName(ByteString path) {
        ByteString stripped = stripSlashes(path);
        return slice(stripped, lastSlash(stripped) + 1, stripped.length());
    }

    /** Returns the part before the last name. */
    public static ByteString parent(ByteString path) {
        ByteString stripped = stripSlashes(path);
        int slash = lastSlash(stripped);
        return slash < 0 ? DOT : slash == 0 ? SLASH : stripSlashes(slice(stripped, 0, slash));
    }

    /** Returns the path of a name in a directory. */
    public static ByteString join(ByteString directory, ByteString name) {
        return (endsWithSlash(directory) ? directory : directory.plus(SLASH)).plus(name);
    }

    /** Returns the names of a path without empty ones and single dots. */
    public static List<ByteString> names(ByteString path) {
        List<ByteString> names = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= path.length(); i++) {
            if (i == path.length() || path.at(i) == '/') {
                ByteString name = slice(path, start, i);
                if (name.length() > 0 && !name.equals(DOT)) {
                    names.add(name);
                }
                start = i + 1;
            }
        }
        return names;
    }

    /**
     * Returns the end of a message about a directory that does not exist: the command that creates it. The directory
     * may also be missing because its file system is not mounted, and a copy into the mount point would fill the wrong
     * disk.
     */
    public static String remedyIfMissing(ByteString directory) {
        boolean isOption = directory.length() > 0 && directory.at(0) == '-';
        return "does not exist; if its file system is mounted, create it: mkdir -p " + (isOption ? "-- " : "")
                + ShellWord.of(directory);
    }

    private static int lastSlash(ByteString path) {
        int slash = path.length() - 1;
        while (slash >= 0 && path.at(slash) != '/') {
            slash--;
        }
        return slash;
    }

    private static ByteString slice(ByteString path, int from, int to) {
        return ByteString.of(path.toBytes(), from, to);
    }
}
