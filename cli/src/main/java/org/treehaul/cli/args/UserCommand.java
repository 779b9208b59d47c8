// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The command of the user that follows {@code --exec} and {@code --exec-batch} of {@code find}, up to a semicolon or
 * the end, as in find(1). Its words may look like options of TreeHaul, so all of them become the value of one argument
 * before anything reads options.
 */
public final class UserCommand {

    private static final String EACH = "--exec";
    private static final String BATCH = "--exec-batch";
    private static final String END = ";";
    // No argument of a process has this byte.
    private static final String BETWEEN = "\0";

    private UserCommand() {}

    /**
     * Returns the arguments of {@code find} with each command of the user as one argument; those of others unchanged.
     */
    public static String[] joined(String[] args) {
        if (args.length == 0 || !args[0].equals("find")) {
            return args;
        }
        List<String> joined = new ArrayList<>();
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--")) {
                joined.addAll(Arrays.asList(args).subList(i, args.length));
                break;
            }
            int equals = args[i].indexOf('=');
            String option = option(equals < 0 ? args[i] : args[i].substring(0, equals));
            if (option.isEmpty()) {
                joined.add(args[i]);
                continue;
            }
            int from = i + 1;
            int end = Arrays.asList(args).subList(from, args.length).indexOf(END);
            i = end < 0 ? args.length : from + end;
            List<String> words = new ArrayList<>(Arrays.asList(args).subList(from, i));
            if (equals >= 0) {
                words.addFirst(args[from - 1].substring(equals + 1));
            }
            joined.add(option + "=" + String.join(BETWEEN, words));
        }
        return joined.toArray(String[]::new);
    }

    // Abbreviations are not expanded yet.
    private static String option(String given) {
        if (given.equals(EACH)) {
            return EACH;
        }
        return given.length() > EACH.length() && BATCH.startsWith(given) ? BATCH : "";
    }

    /** Returns the words of a command that is one argument; none if there is no command. */
    public static List<String> words(String joined) {
        return joined.isEmpty() ? List.of() : List.of(joined.split(BETWEEN, -1));
    }
}
