// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import org.treehaul.cli.args.UserCommand;

/**
 * The level of diagnostics. It is set before anything else is loaded, because SLF4J's binding reads its level only
 * once.
 */
final class Verbosity {

    private static final String LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

    private Verbosity() {}

    /** Sets the level requested by the arguments and returns the number of requests. */
    static int set(String[] args) {
        int count = 0;
        for (String arg : UserCommand.joined(args)) {
            if (arg.equals("--")) {
                break;
            }
            if (arg.equals("--verbose")) {
                count++;
            } else if (arg.startsWith("-v") && arg.chars().skip(1).allMatch(c -> c == 'v')) {
                count += arg.length() - 1;
            }
        }
        if (count > 0 && System.getProperty(LEVEL) == null) {
            System.setProperty(LEVEL, count == 1 ? "info" : count == 2 ? "debug" : "trace");
        }
        return count;
    }
}
