// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.treehaul.cli.common.Texts;
import org.treehaul.core.entry.ByteString;

/** Finds roots of a walk that contain each other, so that their entries are counted twice. */
final class RootOverlap {

    private RootOverlap() {}

    /** Returns a notice for each root that is the same as an earlier one, or inside another one. */
    static List<String> notices(List<ByteString> roots) {
        List<Path> paths = new ArrayList<>();
        for (ByteString root : roots) {
            try {
                // A root that is a symbolic link counts as a link, not as its target.
                Path path = Texts.path(new String(root.toBytes(), StandardCharsets.ISO_8859_1))
                        .toRealPath(LinkOption.NOFOLLOW_LINKS);
                Path parent = path.getParent();
                paths.add(parent == null
                        ? path
                        : parent.toRealPath().resolve(Objects.requireNonNull(path.getFileName())));
            } catch (IOException | IllegalArgumentException e) {
                // The walk reports a root that does not exist; a name that is not text in this locale is not compared.
                paths.add(Path.of(""));
            }
        }
        List<String> notices = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            for (int j = 0; j < paths.size(); j++) {
                Path inner = paths.get(i);
                Path outer = paths.get(j);
                boolean isSame = inner.equals(outer);
                if (inner.isAbsolute() && outer.isAbsolute() && inner.startsWith(outer) && (isSame ? j < i : j != i)) {
                    notices.add(roots.get(i) + (isSame ? " is the same as " : " is inside ") + roots.get(j)
                            + ": its entries are counted twice");
                    break;
                }
            }
        }
        return notices;
    }
}
