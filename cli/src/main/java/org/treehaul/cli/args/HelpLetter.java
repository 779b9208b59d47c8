// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Finds a {@code -h} that prints the help although work was meant, as by users of {@code rsync -ah}: a script would
 * take the exit code 0 for success.
 */
public final class HelpLetter {

    private HelpLetter() {}

    /**
     * Returns whether {@code -h} means the help, and is given with other letters in one word or with operands.
     *
     * @param args the name of the command, then its arguments
     */
    public static boolean isMisused(CommandSpec command, String[] args) {
        @Nullable OptionSpec help = Options.find(command, "-h");
        if (help == null || !help.usageHelp()) {
            return false;
        }
        boolean isGiven = false;
        boolean hasOperands = false;
        for (int i = 1; i < args.length; i++) {
            String arg = args[i];
            if (arg.equals("--")) {
                hasOperands |= i + 1 < args.length;
                break;
            }
            if (arg.startsWith("--")) {
                i += !arg.contains("=") && Abbreviations.takesNext(command, arg) ? 1 : 0;
            } else if (arg.startsWith("-") && arg.length() > 1) {
                int letter = indexOfHelp(command, arg);
                if (letter > 0 && arg.length() > 2) {
                    return true;
                }
                isGiven |= letter > 0;
                i += Abbreviations.endsInValue(command, arg) ? 1 : 0;
            } else {
                hasOperands = true;
            }
        }
        return isGiven && hasOperands;
    }

    // Only known letters are one word of letters; the first one with a value takes the rest.
    private static int indexOfHelp(CommandSpec command, String arg) {
        int found = 0;
        for (int i = 1; i < arg.length(); i++) {
            @Nullable OptionSpec option = Options.find(command, "-" + arg.charAt(i));
            if (option == null) {
                return 0;
            }
            found = found == 0 && option.usageHelp() ? i : found;
            if (option.arity().max() > 0) {
                break;
            }
        }
        return found;
    }
}
