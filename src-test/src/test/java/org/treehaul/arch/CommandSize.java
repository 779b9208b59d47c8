// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Counts the lines of code of the classes that define commands of the command line. Blank lines, comments, the package
 * and imports do not count.
 */
final class CommandSize {

    // Text in quotes is matched first, because it may contain the signs of a comment.
    private static final Pattern COMMENT = Pattern
            .compile("(\"(?:\\\\.|[^\"\\\\\n])*+\")|/\\*(?:[^*]|\\*(?!/))*+\\*/|//[^\n]*+");
    private static final Pattern HEADER = Pattern.compile("(?:package|import)\\s.*");
    private static final Pattern DEFINITION = Pattern.compile("CommandSpec\\.wrapWithoutInspection\\(");

    private CommandSize() {}

    /** Returns the lines of code of each command below a directory, by the name of its class. */
    static Map<String, Integer> below(Path directory) throws IOException {
        Map<String, Integer> sizes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                String source = Files.readString(file);
                // A class with another name that defines a command does not escape.
                if (name.endsWith("Command") || DEFINITION.matcher(source).find()) {
                    sizes.put(name, of(source));
                }
            }
        }
        return sizes;
    }

    /** Returns the lines of code of a source file. */
    static int of(String source) {
        return (int) COMMENT.matcher(source)
                .replaceAll("$1")
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !HEADER.matcher(line).matches())
                .count();
    }

    /** Returns the commands that exceed a limit. */
    static Map<String, Integer> larger(Map<String, Integer> sizes, int limit) {
        Map<String, Integer> larger = new TreeMap<>(sizes);
        larger.values().removeIf(size -> size <= limit);
        return larger;
    }
}
