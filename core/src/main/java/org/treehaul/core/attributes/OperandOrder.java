// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.treehaul.core.walk.options.Root;

/**
 * Divides operands into rounds that are changed one after another. An operand inside another, as in {@code chmod u+rwx
 * d d/e}, may be reachable only after the change of the other, so these keep the order in which they were given. All
 * operands of a round are changed at the same time. Paths are compared as text, without links.
 */
final class OperandOrder {

    private final List<List<Root>> rounds = new ArrayList<>();
    private final Set<String> operands = new HashSet<>();
    private final Set<String> above = new HashSet<>();
    private boolean isAlone;
    private boolean isAbsolute;

    private OperandOrder() {
        rounds.add(new ArrayList<>());
    }

    /** Returns the rounds, at least one. */
    static List<List<Root>> rounds(List<Root> roots) {
        OperandOrder order = new OperandOrder();
        roots.forEach(order::add);
        return order.rounds;
    }

    private void add(Root root) {
        // Latin-1 has a character for each byte.
        String path = new String(root.path().toBytes(), StandardCharsets.ISO_8859_1);
        List<String> names = new ArrayList<>();
        for (String name : path.split("/", -1)) {
            if (!name.isEmpty() && !name.equals(".")) {
                names.add(name);
            }
        }
        // A parent directory and the working directory are known only to the kernel.
        boolean isUnknown = names.contains("..");
        List<String> directories = new ArrayList<>();
        StringBuilder place = new StringBuilder();
        for (String name : names) {
            directories.add(place.toString());
            place.append('/').append(name);
        }
        boolean isFirst = rounds.getLast().isEmpty();
        boolean isNested = isAlone || isUnknown || isAbsolute != path.startsWith("/")
                || operands.contains(place.toString()) || above.contains(place.toString())
                || directories.stream().anyMatch(operands::contains);
        if (!isFirst && isNested) {
            rounds.add(new ArrayList<>());
            operands.clear();
            above.clear();
        }
        rounds.getLast().add(root);
        operands.add(place.toString());
        above.addAll(directories);
        isAlone = isUnknown;
        isAbsolute = path.startsWith("/");
    }
}
