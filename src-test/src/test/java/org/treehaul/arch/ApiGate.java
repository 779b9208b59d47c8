// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Compares the signatures of an API with those that a file holds, and explains each difference.
 *
 * @param file the file, relative to the root of the checkout
 */
record ApiGate(String file) {

    /** The property that makes the test write the files. */
    static final String UPDATE = "treehaul.api.update";

    private static final String INDENT = " ";

    /** Returns a message if programs break, another one if the API only grew; empty if there is no difference. */
    Optional<String> complaint(List<String> held, List<String> found) {
        Set<String> before = qualified(held);
        Set<String> after = qualified(found);
        Set<String> gone = minus(before, after);
        Set<String> added = minus(after, before);
        boolean breaks = !gone.isEmpty() || added.stream().anyMatch(line -> isDemanded(line, before));
        if (breaks) {
            return Optional.of(
                    "Programs that use the API break: signatures are gone or changed, or programs must implement a new one."
                            + lines("- ", gone) + lines("+ ", added)
                            + "\nKeep the old signature beside the new one, or give a new method of an interface an implementation. If the change "
                            + "is deliberate, add a line to CHANGELOG.md that says what programs do instead, and "
                            + update());
        }
        return added.isEmpty()
                ? Optional.empty()
                : Optional.of("New in the API:" + lines("+ ", added)
                        + "\nLater releases must keep these signatures. If programs are not to use them, mark them @Internal; else "
                        + update());
    }

    private String update() {
        return "run this test with -D" + UPDATE + "=true and commit " + file + ".";
    }

    /** Returns whether a new line is an abstract method of a type that programs can implement already. */
    private static boolean isDemanded(String line, Set<String> before) {
        int at = line.indexOf(": ");
        String type = at < 0 ? "" : line.substring(0, at);
        return line.contains(": abstract ") && at >= 0
                && before.stream().anyMatch(known -> isType(known, type) && !known.startsWith("sealed "));
    }

    private static boolean isType(String line, String name) {
        return !line.contains(": ") && name(line).equals(name);
    }

    /** Returns the lines with the name of its type before each member. */
    private static Set<String> qualified(List<String> lines) {
        Set<String> all = new TreeSet<>();
        String type = "";
        for (String line : lines) {
            if (line.startsWith("#") || line.isBlank()) {
                continue;
            }
            if (line.startsWith(INDENT)) {
                all.add(type + ": " + line.strip());
            } else {
                type = name(line);
                all.add(line);
            }
        }
        return all;
    }

    private static String name(String header) {
        return header.replaceFirst("^.*?(?:class|interface|record|enum) ([\\w.$]+).*$", "$1");
    }

    private static Set<String> minus(Set<String> all, Set<String> others) {
        Set<String> rest = new TreeSet<>(all);
        rest.removeAll(others);
        return rest;
    }

    private static String lines(String sign, Set<String> all) {
        return all.stream().map(line -> "\n    " + sign + line).collect(Collectors.joining());
    }
}
