// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.io.File;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The jars and directories of this process, as the class path of another one. */
final class OwnClassPath {

    private OwnClassPath() {}

    /** Returns absolute paths, because a launcher may start a process in another directory. */
    static String get() {
        String own = System.getProperty("java.class.path", "");
        Stream<String> entries = own.isEmpty()
                ? Stream.empty()
                : Arrays.stream(own.split(File.pathSeparator, -1)).map(OwnClassPath::absolute);
        return Stream.concat(entries, modules().map(Path::toString))
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    // The JVM ignores an entry whose characters the locale lacks.
    private static String absolute(String entry) {
        try {
            return Path.of(entry).toAbsolutePath().toString();
        } catch (InvalidPathException e) {
            return entry;
        }
    }

    // On the module path, the class path is empty. Those of Java itself are no files.
    private static Stream<Path> modules() {
        return ModuleLayer.boot()
                .configuration()
                .modules()
                .stream()
                .flatMap(module -> module.reference().location().stream())
                .filter(place -> place.getScheme().equals("file"))
                .sorted(URI::compareTo)
                .map(Path::of);
    }
}
