// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The root command. */
@Command(
        name = "treehaul",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Moves, checks and queries very large directory trees on clusters.")
public final class Main {
    private Main() {}

    /**
     * Runs a command and ends the process with its exit code.
     *
     * @param args the arguments as the JVM decoded them
     */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        // A path may begin with "@".
        return new CommandLine(new Main()).setExpandAtFiles(false);
    }
}
