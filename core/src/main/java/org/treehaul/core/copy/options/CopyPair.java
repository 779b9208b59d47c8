// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.options;

import java.nio.file.Path;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.walk.options.Root;

/**
 * A source and the path of its copy.
 *
 * @param source the entry to copy, with everything below it or a selection
 * @param target the path of the copy itself, not of the directory that will contain it; that directory must exist
 */
public record CopyPair(Root source, ByteString target) {

    /**
     * Checks the target.
     *
     * @throws IllegalArgumentException if it is empty, or contains a NUL, at which the kernel would end it
     */
    public CopyPair {
        if (target.length() == 0) {
            throw new IllegalArgumentException("an empty path cannot be a target");
        }
        for (int i = 0; i < target.length(); i++) {
            if (target.at(i) == 0) {
                throw new IllegalArgumentException("a path with NUL cannot be a target: " + target);
            }
        }
    }

    /**
     * Returns a pair of a whole source and the path of its copy.
     *
     * @throws IllegalArgumentException if a path is empty, or not one of the default file system
     */
    public static CopyPair of(Path source, Path target) {
        return new CopyPair(Root.of(source), ByteString.of(target));
    }

    /** Returns the path of an entry of the source, beginning with the root as the user gave it. */
    public ByteString sourcePath(TreePath path) {
        return path.below(source.path());
    }

    /** Returns the path of the copy of an entry. */
    public ByteString targetPath(TreePath path) {
        return path.below(target);
    }
}
