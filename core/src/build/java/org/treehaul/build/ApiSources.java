// SPDX-License-Identifier: Apache-2.0
package org.treehaul.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Copies the sources of a module that are marked as API, from which its Javadoc is made: those with the mark, and those
 * of marked packages without the opposite mark.
 */
public final class ApiSources {

    private static final Pattern API = Pattern.compile("^@Api$", Pattern.MULTILINE);
    private static final Pattern INTERNAL = Pattern.compile("^@Internal$", Pattern.MULTILINE);
    private static final String PACKAGE = "package-info.java";

    private ApiSources() {}

    /**
     * Copies them.
     *
     * @param args the directory of the sources, and the directory to make
     */
    public static void main(String[] args) throws IOException {
        Path from = Path.of(args[0]);
        Path to = Path.of(args[1]);
        if (Files.exists(to)) {
            try (Stream<Path> old = Files.walk(to)) {
                for (Path file : old.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.delete(file);
                }
            }
        }
        List<Path> sources;
        try (Stream<Path> files = Files.walk(from)) {
            sources = files.filter(file -> file.toString().endsWith(".java")).toList();
        }
        for (Path source : sources) {
            if (!source.endsWith(PACKAGE) && isApi(source)) {
                copy(source, to.resolve(from.relativize(source)));
                Path info = source.resolveSibling(PACKAGE);
                copy(info, to.resolve(from.relativize(info)));
            }
        }
    }

    private static boolean isApi(Path source) throws IOException {
        String text = Files.readString(source);
        if (INTERNAL.matcher(text).find()) {
            return false;
        }
        return API.matcher(text).find() || API.matcher(Files.readString(source.resolveSibling(PACKAGE))).find();
    }

    private static void copy(Path source, Path target) throws IOException {
        if (Files.notExists(target)) {
            Files.createDirectories(target.getParent());
            Files.copy(source, target);
        }
    }
}
