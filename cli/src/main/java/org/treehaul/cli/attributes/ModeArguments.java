// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.attributes;

import org.treehaul.cli.args.Abbreviations;
import picocli.CommandLine.Model.CommandSpec;

/** The arguments of chmod, among which a mode such as {@code -w} looks like an option. */
public final class ModeArguments {

    /** The hidden option whose values are such modes. */
    static final String OPTION = "--mode";

    // No option of one letter of chmod begins a mode.
    private static final String BEGINS_MODE = "rwxXstugoa,+=01234567";

    private ModeArguments() {}

    /**
     * Returns the arguments with each mode that begins with a hyphen as the value of {@value #OPTION}.
     *
     * @param chmod the command, with its options
     * @param args the name of the command, then its arguments
     */
    public static String[] asOptions(CommandSpec chmod, String[] args) {
        String[] read = args.clone();
        for (int i = 1; i < read.length && !read[i].equals("--"); i++) {
            String arg = read[i];
            if (arg.length() > 1 && arg.charAt(0) == '-' && BEGINS_MODE.indexOf(arg.charAt(1)) >= 0) {
                read[i] = OPTION + "=" + arg;
            } else if (Abbreviations.isBeforeValue(chmod, arg)) {
                i++;
            }
        }
        return read;
    }
}
