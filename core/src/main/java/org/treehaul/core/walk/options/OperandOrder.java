// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/**
 * Divides operands into rounds that are processed one after another. An operand inside another depends on it: in
 * {@code chmod u+rwx d d/e} it may be reachable only after the change of the other, and in {@code rm -r d/e d} it would
 * be removed twice. Such operands keep the order in which they were given; all operands of a round are processed at the
 * same time. Paths are compared as text, without links.
 */
@Internal
public final class OperandOrder<T> {

    private final List<List<T>> rounds = new ArrayList<>();
    private final Set<String> operands = new HashSet<>();
    private final Set<String> above = new HashSet<>();
    private boolean isAlone;
    private boolean isAbsolute;

    private OperandOrder() {
        rounds.add(new ArrayList<>());
    }

    /**
     * Returns the rounds, at least one.
     *
     * @param paths returns the path of an operand
     */
    public static <T> List<List<T>> rounds(List<T> operands, Function<T, ByteString> paths) {
        OperandOrder<T> order = new OperandOrder<>();
        operands.forEach(operand -> order.add(operand, paths.apply(operand)));
        return order.rounds;
    }

    private void add(T operand, ByteString given) {
        // Latin-1 has a character for each byte.
        String path = new String(given.toBytes(), StandardCharsets.ISO_8859_1);
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
        rounds.getLast().add(operand);
        operands.add(place.toString());
        above.addAll(directories);
        isAlone = isUnknown;
        isAbsolute = path.startsWith("/");
    }
}
