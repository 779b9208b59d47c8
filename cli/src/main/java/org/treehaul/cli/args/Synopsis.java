// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.util.stream.Collectors;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The first line of the help of a command that has no synopsis of its own. */
public final class Synopsis {

    private Synopsis() {}

    /** Gives a command a synopsis with its operands, unless it has one. Picocli's lists each option. */
    public static void applyTo(CommandSpec command) {
        if (command.usageMessage().customSynopsis().length == 0) {
            command.usageMessage()
                    .customSynopsis("treehaul " + command.name() + " [OPTION]..."
                            + command.positionalParameters()
                                    .stream()
                                    .map(Synopsis::operand)
                                    .collect(Collectors.joining()));
        }
    }

    private static String operand(PositionalParamSpec operand) {
        String label = operand.arity().min() == 0 ? "[" + operand.paramLabel() + "]" : operand.paramLabel();
        return " " + label + (operand.arity().max() > 1 ? "..." : "");
    }
}
