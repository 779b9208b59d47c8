// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

import java.nio.file.Path;
import java.util.Set;

import org.treehaul.cli.common.Texts;
import org.treehaul.tuplespace.store.SpaceUri;

/** Settings that name files and directories: later commands, which read them, run in other directories. */
final class PathSettings {

    private static final Set<String> PATHS = Set.of("exclude-from", "state-dir");
    // Each is a directory, or the address of a space.
    private static final Set<String> SPACES = Set.of("publish", "space");
    private static final Set<String> SCHEMES_OF_PATHS = Set.of(SpaceUri.SQLITE + ":", SpaceUri.PARTITIONS + ":");

    private PathSettings() {}

    /** Returns the value to keep: a path that is relative to the directory of this process becomes absolute. */
    static String absolute(String name, String value) {
        if (PATHS.contains(name)) {
            return path(value);
        }
        if (!SPACES.contains(name)) {
            return value;
        }
        for (String scheme : SCHEMES_OF_PATHS) {
            if (value.startsWith(scheme)) {
                return scheme + path(value.substring(scheme.length()));
            }
        }
        return SpaceUri.hasScheme(value) ? value : path(value);
    }

    private static String path(String value) {
        if (value.isEmpty() || value.startsWith("/") || value.equals("-")) {
            return value;
        }
        String directory = Texts.argument(Path.of("").toAbsolutePath());
        return (directory.endsWith("/") ? directory : directory + "/") + value;
    }
}
