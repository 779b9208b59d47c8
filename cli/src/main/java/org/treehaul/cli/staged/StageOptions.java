// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import java.util.Set;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.UsageException;
import org.treehaul.core.entry.ByteString;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The options for stages of a command that has no jobs. */
public final class StageOptions {

    private static final Set<String> OWN = Set.of("--space", "--secret-file", "--tls", "--threads", "--json",
            "--progress", "--progress-interval", "--color", "--verbose", "--metrics", "--on-complete", "--preset");

    private final CommandSpec command;
    private @Nullable String space;
    private @Nullable ByteString secret;
    private boolean isEncrypted;

    /** Adds the options to a command. */
    public StageOptions(CommandSpec command) {
        this.command = command;
        BiConsumer<String, Object> set = this::set;
        Options.add(command, Options.named(String.class, set, "--space"), "DIR",
                "The catalogue of a stage: DIR, sqlite:DIR, or postgresql://HOST/DATABASE. Default: TREEHAUL_SPACE.");
        Options.add(command, Options.named(ByteString.class, set, "--secret-file"), "FILE",
                "The secret of the servers of a stage, in a file that only you may read.");
        Options.add(command, Options.named(Boolean.class, set, "--tls"),
                "Encrypt the connections to the servers of a stage, which have certificates.");
    }

    private void set(String option, Object value) {
        switch (option) {
            case "--space" -> space = (String) value;
            case "--secret-file" -> secret = (ByteString) value;
            case "--tls" -> isEncrypted = (Boolean) value;
            default -> throw new IllegalArgumentException(option);
        }
    }

    /**
     * Returns the stages that operands name.
     *
     * @param taken the long names of the options of the command that have a meaning for stages
     * @throws UsageException if another option was given
     */
    public StagedPaths paths(CommonOptions common, Set<String> taken) {
        command.commandLine()
                .getParseResult()
                .matchedOptions()
                .stream()
                .map(OptionSpec::longestName)
                .filter(name -> !taken.contains(name) && !OWN.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw common.usage(name + " cannot be combined with a stage; leave it out, or copy the stage to "
                            + "a directory first");
                });
        return new StagedPaths(command, common, new StagedPaths.Access(space, secret, isEncrypted));
    }
}
