// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.List;
import java.util.Locale;

import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Explains arguments that Picocli rejected, with the remedy. */
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
            String remedy = problem.getCommandLine().getCommandName().equals("cp") ? remedy(argument) : "";
            if (!remedy.isEmpty()) {
                return "'" + argument + "' of GNU cp is not supported: " + remedy;
            }
            return "unknown option '" + argument + "'" + similar(unmatched)
                    + "; put '--' before a path that begins with '-'";
        }
        String message = String.valueOf(problem.getMessage());
        int choices = message.indexOf(": expected one of [");
        int found = message.indexOf("] (case-sensitive) but was ");
        if (choices > 0 && found > choices) {
            message = message.substring(0, choices) + ": " + message.substring(found + 27) + " is none of "
                    + message.substring(choices + 19, found);
        }
        return message.isEmpty() ? "" : message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
    }

    private static String remedy(String option) {
        int end = option.indexOf('=');
        return switch (end < 0 ? option : option.substring(0, end)) {
            case "-Z", "--context" -> "SELinux contexts are not set; run restorecon afterwards";
            case "--debug" -> "use -vv to see each step";
            default -> "";
        };
    }

    private static String similar(UnmatchedArgumentException unmatched) {
        List<String> suggestions = unmatched.getSuggestions();
        return suggestions.isEmpty()
                ? ""
                : "; did you mean '" + String.join("' or '", suggestions.stream().limit(3).toList()) + "'?";
    }
}
