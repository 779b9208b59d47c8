// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program with the options for a scenario.
 *
 * @param name its name in the report
 * @param role its role in the comparison
 * @param command the words; {@code {source}}, {@code {other}} and {@code {target}} are replaced, and {@code {state}} by
 *        a directory that all runs share
 */
record Tool(String name, Role role, List<String> command) {

    /** The role of a tool in the comparison. */
    enum Role {
        /** A program of this project. */
        OURS,
        /** The bare system calls. */
        FLOOR,
        /** A program of others. */
        PEER
    }

    Tool {
        command = List.copyOf(command);
    }

    static Tool peer(String name, String... command) {
        return new Tool(name, Role.PEER, List.of(command));
    }

    /**
     * Returns the command for these paths.
     *
     * @param other a tree to compare with
     */
    List<String> on(Path source, Path other, Path target) {
        return command.stream()
                .map(word -> word.replace("{source}", source.toString())
                        .replace("{other}", other.toString())
                        .replace("{target}", target.toString())
                        .replace("{state}", target.resolveSibling("state").toString()))
                .toList();
    }

    /** Returns the command for the report: without the directories of programs, which differ between machines. */
    String text() {
        List<String> words = new ArrayList<>();
        for (String word : command) {
            boolean isClassPath = !words.isEmpty() && words.getLast().equals("-cp");
            words.add(isClassPath ? "..." : word.startsWith("/") ? word.substring(word.lastIndexOf('/') + 1) : word);
        }
        return String.join(" ", words)
                .replace("{source}", "SOURCE")
                .replace("{other}", "OTHER")
                .replace("{target}", "TARGET")
                .replace("{state}", "STATE");
    }
}
