// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;

/** The form of paths in a stage: names with a slash between two, none of them empty, {@code .} or {@code ..}. */
public final class StagedPath {

    // PATH_MAX of Linux, so that each path can be written to a directory again.
    private static final int LONGEST = 4095;
    private static final int LONGEST_NAME = 255;

    private StagedPath() {}

    /**
     * Returns a path in this form: without empty names, {@code .}, and slashes at the beginning and the end.
     *
     * @throws IllegalArgumentException if it contains {@code ..}
     */
    public static ByteString of(ByteString given) {
        byte[] bytes = given.toBytes();
        ByteArrayOutputStream path = new ByteArrayOutputStream(bytes.length);
        int from = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i < bytes.length && bytes[i] != '/') {
                continue;
            }
            ByteString name = ByteString.of(bytes, from, i);
            from = i + 1;
            if (name.equals(ByteString.of(".."))) {
                throw new IllegalArgumentException("a path in a stage must not contain '..': " + given);
            }
            if (name.length() > 0 && !name.equals(ByteString.of("."))) {
                if (path.size() > 0) {
                    path.write('/');
                }
                path.writeBytes(name.toBytes());
            }
        }
        return ByteString.of(path.toByteArray());
    }

    /**
     * Returns those of some paths in this form that are not below another one, each once, in the order of the given
     * ones. They contain all entries that the given ones contain.
     */
    @Internal
    public static List<ByteString> outermost(Collection<ByteString> paths) {
        Set<ByteString> given = new LinkedHashSet<>(paths);
        return given.stream().filter(path -> !isBelowAny(path, given)).toList();
    }

    private static boolean isBelowAny(ByteString path, Set<ByteString> others) {
        return above(path).stream().anyMatch(others::contains)
                || path.length() > 0 && others.contains(ByteString.empty());
    }

    /** Returns the paths above a path in this form, the nearest first, without that of the top. */
    @Internal
    public static List<ByteString> above(ByteString path) {
        byte[] bytes = path.toBytes();
        List<ByteString> above = new ArrayList<>();
        for (int i = bytes.length - 1; i > 0; i--) {
            if (bytes[i] == '/') {
                above.add(ByteString.of(bytes, 0, i));
            }
        }
        return above;
    }

    /**
     * Checks that a path has this form, and is not that of the top.
     *
     * @throws StageException EINVAL if it has another form, ENAMETOOLONG if it is too long for a file system
     */
    static void check(ByteString path) throws StageException {
        if (path.length() == 0 || !path.equals(of(path))) {
            throw new StageException("'" + path + "'", "no path of a file in a stage", Errno.EINVAL);
        }
        int name = 0;
        for (int i = 0; i < path.length(); i++) {
            name = path.at(i) == '/' ? 0 : name + 1;
            if (i >= LONGEST || name > LONGEST_NAME) {
                throw new StageException(path.toString(), "create", Errno.ENAMETOOLONG);
            }
        }
    }
}
