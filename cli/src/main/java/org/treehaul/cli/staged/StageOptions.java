// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import java.util.List;
import java.util.Set;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.RemotePaths;
import org.treehaul.cli.common.UsageException;
import org.treehaul.core.entry.ByteString;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The options for stages of a command that has no jobs. */
public final class StageOptions {

    private static final Set<String> OWN = Set.of("--space", "--secret-file", "--tls", "--threads", "--json",
            "--progress", "--progress-interval", "--color", "--verbose", "--metrics", "--on-complete", "--preset");

    private final CommandSpec command;
    private final CommonOptions common;
    private final StageAccess access;

    /** Adds the options to a command. */
    public StageOptions(CommandSpec command, CommonOptions common) {
        this.command = command;
        this.common = common;
        access = new StageAccess(command, common).addSpace().addServers("");
    }

    /**
     * Returns whether one of the operands is in a stage.
     *
     * @throws UsageException if none is, but an option for stages is given
     */
    public boolean areMeant(List<ByteString> operands) {
        if (RemotePaths.areStaged(operands)) {
            return true;
        }
        for (String option : List.of("--space", "--secret-file", "--tls")) {
            if (common.isGiven(option)) {
                throw common.usage(option + " is for stages: stage:NAME/PATH");
            }
        }
        return false;
    }

    /**
     * Returns whether an option has a meaning for stages.
     *
     * @param name its long name
     * @param taken the long names of the options of the command that have one
     */
    public static boolean isTaken(String name, Set<String> taken) {
        return taken.contains(name) || OWN.contains(name);
    }

    /**
     * Returns the stages that operands name.
     *
     * @param taken the long names of the options of the command that have a meaning for stages
     * @throws UsageException if another option was given
     */
    public StagedPaths paths(Set<String> taken) {
        command.commandLine()
                .getParseResult()
                .matchedOptions()
                .stream()
                .map(OptionSpec::longestName)
                .filter(name -> !isTaken(name, taken))
                .findFirst()
                .ifPresent(name -> {
                    throw common.usage(name + " cannot be combined with a stage; leave it out, or copy the stage to "
                            + "a directory first");
                });
        return new StagedPaths(common, access);
    }
}
