// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.condition.BytePattern;
import org.treehaul.core.entry.ByteString;

/**
 * Consequences of a pattern of paths for the directory and the name of an entry. A name has no slash, so a part of a
 * path that ends with a slash lies in the path of the directory with a slash after it.
 */
final class PathPattern {

    private static final ByteString SLASH = ByteString.of("/");

    private PathPattern() {}

    /**
     * Returns the pattern that the path of a directory with a slash after it matches if an entry of the directory
     * matches a pattern of paths; empty if every directory may have such entries.
     */
    static Optional<BytePattern> ofDirectory(BytePattern path) {
        for (int i = path.parts().size() - 1; i >= 0; i--) {
            if (path.parts().get(i) instanceof BytePattern.Literal literal) {
                byte[] bytes = literal.bytes().toBytes();
                int end = bytes.length;
                while (end > 0 && bytes[end - 1] != '/') {
                    end--;
                }
                if (end > 0) {
                    List<BytePattern.Part> parts = new ArrayList<>(path.parts().subList(0, i));
                    parts.add(new BytePattern.Literal(ByteString.of(Arrays.copyOf(bytes, end))));
                    parts.add(BytePattern.Wild.STAR);
                    return Optional.of(new BytePattern(parts, path.ignoresCase()));
                }
            }
        }
        return Optional.empty();
    }

    /** Returns whether all entries of a directory match a pattern of paths, or none. */
    static boolean isOfDirectory(BytePattern path) {
        return ofDirectory(path).filter(path::equals).isPresent();
    }

    /** Returns whether a path matches if the name does. */
    static boolean isOfName(BytePattern path) {
        return path.parts().size() == 2 && hasOneName(path);
    }

    /** Returns whether a path matches if the path of the directory does or the name does. */
    static boolean isOfEither(BytePattern path) {
        return path.parts().size() == 3 && hasOneName(path) && path.parts().get(2) == BytePattern.Wild.STAR;
    }

    // A star, and bytes without a slash.
    private static boolean hasOneName(BytePattern path) {
        return path.parts().getFirst() == BytePattern.Wild.STAR
                && path.parts().get(1) instanceof BytePattern.Literal literal
                && !literal.bytes().toString().contains("/");
    }

    /** Returns the path of a directory with a slash after it; that of the entry that is the root has no directory. */
    static ByteString withSlash(ByteString directory) {
        return directory.length() == 0 ? SLASH : FileTuple.join(directory, ByteString.empty());
    }
}
