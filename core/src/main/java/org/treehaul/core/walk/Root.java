// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;

/** Where a walk starts: a path as the user named it, absolute or relative to the working directory, of any length. */
public final class Root {

    private final ByteString path;
    private final @Nullable PathSelection selection;

    private Root(ByteString path, @Nullable PathSelection selection) {
        this.path = path;
        this.selection = selection;
        if (path.length() == 0) {
            throw new IllegalArgumentException("a root cannot be the empty path; '.' is the working directory");
        }
    }

    /**
     * Returns the root of a walk of everything below a path.
     *
     * @throws IllegalArgumentException when the path is empty
     */
    public static Root of(ByteString path) {
        return new Root(path, null);
    }

    /**
     * Returns the root of a walk of selected paths below a directory.
     *
     * @throws IllegalArgumentException when the path is empty
     */
    public static Root of(ByteString path, PathSelection selection) {
        return new Root(path, selection.isWhole() ? null : selection);
    }

    /** Returns the path as the user named it. */
    public ByteString path() {
        return path;
    }

    /** Returns the selection, unless everything is walked. */
    public Optional<PathSelection> selection() {
        return Optional.ofNullable(selection);
    }
}
