// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.treehaul.cli.args.Suggestions;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Explains arguments that Picocli rejected, with the remedy. */
final class UsageErrors {

    private static final Pattern SEVERAL_LETTERS = Pattern.compile("-[A-Za-z]{2,}");

    private UsageErrors() {}

    static String describe(ParameterException problem) {
        if (problem instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
            return unmatched(problem.getCommandLine(), unmatched.getUnmatched().getFirst());
        }
        String message = String.valueOf(problem.getMessage());
        if (problem instanceof MissingParameterException && message.endsWith(": 'ID'")) {
            message += "; give the id of a transfer, the end of one, or 'last'";
        } else if (problem instanceof MissingParameterException && message.endsWith(": 'SHELL'")) {
            message += "; give bash, zsh or fish";
        }
        message = message.replaceFirst("(?<=')([0-9]{10,})' is not an? (int|long)$", "$1' is too large")
                .replaceFirst(" is not an? (int|long)$", " is not a whole number")
                .replaceFirst(" is not a double$", " is not a number")
                .replaceFirst(" is not a boolean$", " is neither true nor false");
        int choices = message.indexOf(": expected one of [");
        int found = message.indexOf("] (case-sensitive) but was ");
        if (choices > 0 && found > choices) {
            message = message.substring(0, choices) + ": " + message.substring(found + 27) + " is none of "
                    + message.substring(choices + 19, found);
        }
        return message.isEmpty() ? "" : message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
    }

    private static String unmatched(CommandLine line, String argument) {
        if (!argument.startsWith("-")) {
            return line.getParent() == null
                    ? command(line, argument)
                    : "unexpected argument '" + argument + "'"
                            + (line.getCommandName().equals("help") ? "; help explains one command at a time" : "");
        }
        String remedy = remedy(line, argument);
        if (!remedy.isEmpty()) {
            return "unknown option '" + argument + "'; " + remedy;
        }
        List<String> options = line.getCommandSpec()
                .options()
                .stream()
                .filter(option -> !option.hidden())
                .map(OptionSpec::longestName)
                .toList();
        List<String> near = argument.startsWith("--")
                ? Suggestions.near(argument.replaceFirst("=.*", ""), options)
                : List.of();
        return "unknown option '" + argument + "'"
                + (near.isEmpty() ? "; put '--' before a path that begins with '-'" : meant(near));
    }

    private static String remedy(CommandLine line, String argument) {
        Function<String, String> remedies = switch (line.getCommandName()) {
            case "cp" -> Remedies::option;
            case "plan" -> Remedies::optionOfPlan;
            case "sync" -> Remedies::optionOfSync;
            case "rm" -> Remedies::optionOfRm;
            case "mv" -> Remedies::optionOfMv;
            case "du" -> Remedies::optionOfDu;
            case "walk" -> Remedies::optionOfFind;
            case "find" -> Remedies::optionOfGnuFind;
            case "verify" -> Remedies::optionOfVerify;
            case "query" -> Remedies::optionOfQuery;
            case "config" -> option -> option.startsWith("--")
                    ? ""
                    : "put '--' before a value that begins with '-': config set -- queue '-p short'";
            default -> option -> "";
        };
        String remedy = argument.equals("--version")
                ? "'treehaul --version' prints the version"
                : remedies.apply(argument);
        if (!remedy.isEmpty() || !SEVERAL_LETTERS.matcher(argument).matches()) {
            return remedy;
        }
        // Letters in one word, such as the -AX that Picocli leaves of -aAX.
        return argument.substring(1)
                .chars()
                .mapToObj(letter -> "-" + (char) letter)
                .filter(letter -> line.getCommandSpec().findOption(letter) == null)
                .map(remedies)
                .filter(text -> !text.isEmpty())
                .distinct()
                .collect(Collectors.joining("; "));
    }

    private static String command(CommandLine line, String word) {
        String remedy = Remedies.command(word);
        if (!remedy.isEmpty()) {
            return "unknown command '" + word + "'; " + remedy;
        }
        List<String> commands = line.getSubcommands()
                .entrySet()
                .stream()
                .filter(entry -> !entry.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
        List<String> near = Suggestions.near(word, commands);
        return "unknown command '" + word + "'" + (near.isEmpty() ? "" : meant(near));
    }

    private static String meant(List<String> near) {
        return "; did you mean '" + String.join("' or '", near) + "'?";
    }
}
