// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The options whose value is text for a scheduler or a shell. Such a value may begin with a hyphen, like an option of
 * TreeHaul, and Picocli would not accept it; a leading blank makes no difference on the line for a scheduler or a
 * shell.
 */
public final class FreeText {

    /** The names of these options. */
    public static final Set<String> OPTIONS = Set.of("--queue", "--finish-queue", "--pre", "--post", "--on-complete");

    private FreeText() {}

    /** Returns the arguments of a command with a blank before each such value that begins with a hyphen. */
    public static String[] shield(String[] args) {
        List<String> shielded = new ArrayList<>();
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--")) {
                shielded.addAll(Arrays.asList(args).subList(i, args.length));
                break;
            }
            String arg = args[i];
            if (OPTIONS.contains(arg) && i + 1 < args.length) {
                i++;
                arg += "=" + args[i];
            }
            int equals = arg.indexOf("=-");
            shielded.add(equals > 0 && OPTIONS.contains(arg.substring(0, equals))
                    ? arg.substring(0, equals + 1) + " " + arg.substring(equals + 1)
                    : arg);
        }
        return shielded.toArray(String[]::new);
    }

    /** Returns the arguments of a command as the user gave them, without the blanks that {@link #shield} adds. */
    public static List<String> unshield(List<String> args) {
        List<String> given = new ArrayList<>(args);
        for (int i = 0; i < given.size() && !given.get(i).equals("--"); i++) {
            String arg = given.get(i);
            int equals = arg.indexOf("= -");
            if (equals > 0 && OPTIONS.contains(arg.substring(0, equals))) {
                given.set(i, arg.substring(0, equals + 1) + arg.substring(equals + 2));
            }
        }
        return given;
    }
}
