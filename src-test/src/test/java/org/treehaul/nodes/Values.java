// SPDX-License-Identifier: Apache-2.0
package org.treehaul.nodes;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The values of a program on a host, by name. */
record Values(Map<String, String> all) {

    Values {
        all = Map.copyOf(all);
    }

    String text(String name) {
        return Objects.requireNonNull(all.get(name), name);
    }

    Path path(String name) {
        return Path.of(text(name));
    }

    int number(String name) {
        return Integer.parseInt(text(name));
    }

    boolean is(String name) {
        return Boolean.parseBoolean(all.get(name));
    }

    List<String> words(String name, String between) {
        return List.of(text(name).split(between, -1));
    }
}
