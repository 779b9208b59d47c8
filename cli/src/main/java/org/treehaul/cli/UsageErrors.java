// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.List;
import java.util.Locale;

import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong with arguments that Picocli refused, and what would be right. */
final class UsageErrors {

    private UsageErrors() {}

    static String describe(ParameterException problem) {
        if (problem instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
            String argument = unmatched.getUnmatched().getFirst();
            if (!argument.startsWith("-")) {
                boolean isCommand = problem.getCommandLine().getParent() == null;
                return (isCommand ? "unknown command '" : "unexpected argument '") + argument + "'"
                        + similar(unmatched);
            }
            return "unknown option '" + argument + "'" + similar(unmatched)
                    + "; a path that begins with '-' goes after '--'";
        }
        String message = String.valueOf(problem.getMessage());
        return message.isEmpty() ? "" : message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
    }

    private static String similar(UnmatchedArgumentException unmatched) {
        List<String> suggestions = unmatched.getSuggestions();
        return suggestions.isEmpty()
                ? ""
                : "; did you mean '" + String.join("' or '", suggestions.stream().limit(3).toList()) + "'?";
    }
}
