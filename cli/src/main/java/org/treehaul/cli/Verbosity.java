// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

/**
 * How much diagnostics are printed. It is decided before anything else is loaded: SLF4J's binding reads its level once.
 */
final class Verbosity {

    private static final String LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

    private Verbosity() {}

    /** Sets the level that the arguments ask for and returns how often they say so. */
    static int set(String[] args) {
        int count = 0;
        for (String arg : args) {
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
