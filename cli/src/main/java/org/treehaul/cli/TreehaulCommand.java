// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.common.Version;
import picocli.CommandLine.Model.CommandSpec;

/** The {@code treehaul} command itself. */
final class TreehaulCommand implements Callable<Integer> {

    final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);

    /** Defines the command for Picocli. */
    TreehaulCommand() {
        spec.versionProvider(new Version());
        spec.name("treehaul");
        spec.usageMessage()
                .description("Copies, checks and queries very large directory trees on clusters.%n")
                .synopsisSubcommandLabel("COMMAND")
                .footer("%nExample:", "  treehaul cp -aT --verify /data/run7 /archive/run7",
                        "%n'treehaul COMMAND --help' explains a command, 'treehaul config show --all' lists environment "
                                + "variables and settings. The state of transfers is in ~/.treehaul, or in the directory that TREEHAUL_HOME names.");
        spec.addOption(Options.help());
        Options.add(spec, Options.flag(value -> {
        }, "-V", "--version").versionHelp(true), "Print the version.");
    }

    @Override
    public Integer call() {
        throw new UsageException(spec.commandLine(), "no command given");
    }
}
