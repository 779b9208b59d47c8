// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
        // The first root of each path.
        Map<Path, Integer> first = new HashMap<>();
        for (int i = 0; i < paths.size(); i++) {
            if (paths.get(i).isAbsolute()) {
                first.putIfAbsent(paths.get(i), i);
            }
        }
        List<String> notices = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            int outer = i;
            for (Path path = paths.get(i); path != null; path = path.getParent()) {
                int other = first.getOrDefault(path, i);
                if (other != i && (outer == i || other < outer)) {
                    outer = other;
                }
            }
            if (outer != i) {
                notices.add(roots.get(i) + (paths.get(outer).equals(paths.get(i)) ? " is the same as " : " is inside ")
                        + roots.get(outer) + ": its entries are counted twice");
            }
        }
        return notices;
    }
}
