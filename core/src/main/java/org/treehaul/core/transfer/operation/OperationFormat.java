// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.operation.Repetition;

/** The lines in the file of a transfer that describe its operation. */
@Internal
public final class OperationFormat {

    private static final String NAME = "kind";
    private static final String VERSION = "operation-version";
    // Files of transfers without a version of the operation are older than this key.
    private static final String FIRST = "1";
    // Only operations of other jars have it.
    private static final String REPETITION = "operation-repetition";
    private static final String PARAMETER = "operation-parameter.";

    private OperationFormat() {}

    /** Returns the lines of an operation. */
    public static Map<String, String> lines(Operation operation) {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put(NAME, operation.name());
        lines.put(VERSION, String.valueOf(operation.version()));
        if (operation instanceof Operation.Custom custom) {
            lines.put(REPETITION, custom.repetition().name());
        }
        operation.parameters().forEach((key, value) -> lines.put(PARAMETER + key, ByteString.of(value).toString()));
        return lines;
    }

    /** Returns name and version for a message. */
    public static String shown(Map<String, String> lines) {
        return "operation '" + lines.getOrDefault(NAME, "") + "' in version '" + version(lines) + "'";
    }

    private static String version(Map<String, String> lines) {
        return lines.getOrDefault(VERSION, FIRST);
    }

    /** Returns the operation that the lines of a file describe; empty if this program does not know it. */
    public static Optional<Operation> read(Map<String, String> lines) {
        String name = lines.getOrDefault(NAME, "");
        String repetition = lines.get(REPETITION);
        SortedMap<String, String> parameters = new TreeMap<>();
        try {
            lines.forEach((key, value) -> {
                if (key.startsWith(PARAMETER)) {
                    parameters.put(key.substring(PARAMETER.length()),
                            ByteString.unescape(value).utf8().orElseThrow(IllegalArgumentException::new));
                }
            });
            if (repetition == null) {
                return Operation.find(name, version(lines), parameters);
            }
            return Arrays.stream(Repetition.values())
                    .filter(one -> one.name().equals(repetition))
                    .<Operation>map(
                            one -> new Operation.Custom(name, Integer.parseInt(version(lines)), one, parameters))
                    .findFirst();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
