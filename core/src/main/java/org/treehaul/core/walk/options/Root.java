// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import java.nio.file.Path;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/** The start of a walk: a path as the user gave it, absolute or relative to the working directory, of any length. */
public final class Root {

    private final ByteString path;
    private final ByteString name;
    private final @Nullable PathSelection selection;

    private Root(ByteString path, ByteString name, @Nullable PathSelection selection) {
        this.path = path;
        this.name = name;
        this.selection = selection;
        if (path.length() == 0) {
            throw new IllegalArgumentException("a root cannot be an empty path; use '.' for the working directory");
        }
    }

    /**
     * Returns a root whose walk covers everything below a path.
     *
     * @throws IllegalArgumentException if the path is empty
     */
    public static Root of(ByteString path) {
        return new Root(path, path, null);
    }

    /**
     * Returns a root whose walk covers everything below a path.
     *
     * @throws IllegalArgumentException if the path is empty, or not one of the default file system
     */
    public static Root of(Path path) {
        return of(ByteString.of(path));
    }

    /**
     * Returns a root whose walk covers selected paths below a directory.
     *
     * @throws IllegalArgumentException if the path is empty
     */
    public static Root of(ByteString path, PathSelection selection) {
        return new Root(path, path, selection instanceof SelectedPaths paths && paths.isWhole() ? null : selection);
    }

    /** Returns the path as the user gave it. */
    public ByteString path() {
        return path;
    }

    /**
     * Returns a copy that conditions know by another name, such as the path that the user gave before it was made
     * absolute.
     */
    @Internal
    public Root named(ByteString given) {
        return new Root(path, given, selection);
    }

    /** Returns the path with which the paths of entries begin in conditions. */
    @Internal
    public ByteString name() {
        return name;
    }

    /** Returns the selection; empty if everything is walked. */
    public Optional<PathSelection> selection() {
        return Optional.ofNullable(selection);
    }
}
