// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code treehaul} itself. */
@Command(
        name = "treehaul",
        versionProvider = Version.class,
        description = "Moves, checks and queries very large directory trees on clusters.%n",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"%nExample:", "  treehaul cp -a --verify /data/run7 /archive/",
                "%n'treehaul COMMAND --help' tells more of a command."})
final class TreehaulCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Print this help.")
    boolean help;

    @Option(names = {"-V", "--version"}, versionHelp = true, description = "Print the version.")
    boolean version;

    @Override
    public Integer call() {
        throw new UsageException(spec.commandLine(), "no command is given");
    }
}
