// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Abbreviations;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.config.Configuration;
import org.treehaul.cli.config.JobSettings;
import org.treehaul.cli.config.Setting;
import org.treehaul.cli.copy.BatchOptions;
import org.treehaul.cli.copy.CpCommand;
import org.treehaul.cli.copy.TransferOptions;
import org.treehaul.cli.tree.StagedComparison;
import org.treehaul.cli.tree.StagedOutput;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Selects the settings that apply to a command. One that the command does not take, or not in the form in which it is
 * given, is left out: the user has not typed it.
 */
final class SettingSelector implements Predicate<Setting> {

    // An index has no trees to select entries of.
    private static final Set<String> NOT_OF_INDEX = Set.of("exclude", "exclude-from", "one-file-system");

    // The number of ranks is that of the jobs.
    private static final Set<String> NOT_OF_RANKS = Set.of("jobs", "max-running");

    // Flags of these names ask other commands for the servers of files and for the batches of a transfer.
    private static final Set<String> WITH_FLAGS = Set.of("locality", "batches");

    private final CommandEntry command;
    private final CommandSpec spec;
    private final String[] given;
    private final Configuration configuration;
    private final boolean hasScheduler;
    private final boolean hasJobs;
    private final boolean isStaged;
    private final Set<String> besidePlan;

    /**
     * Creates a selector.
     *
     * @param given the name of the command, then its arguments
     */
    SettingSelector(CommandEntry command, CommandSpec spec, String[] given, Configuration configuration) {
        this.command = command;
        this.spec = spec;
        this.given = given;
        this.configuration = configuration;
        hasScheduler = Options.find(spec, "--scheduler") != null;
        // Settings of a site or user for jobs must not turn the work of every command into jobs; a preset that the user
        // names may.
        hasJobs = !hasScheduler && !command.mayComplete() || JobSettings.makeJobs(given)
                || configuration.isChosen(JobSettings.MAKE_JOBS);
        isStaged = takesStages() && namesStage();
        // Settings must not repeat options that the plan contains.
        besidePlan = Options.find(spec, "--plan") != null && isGiven("--plan")
                ? TransferOptions.namesBesidePlan()
                : Set.of();
    }

    @Override
    public boolean test(Setting setting) {
        String name = setting.name();
        return isOption(name) && (hasJobs || !JobSettings.NAMES.contains(name)) && suits(name) && isTaken(setting)
                && (besidePlan.isEmpty() || besidePlan.contains("--" + name))
                && (setting.isOfPreset() || CommandLines.applies(command.title(), name));
    }

    private boolean isOption(String name) {
        @Nullable OptionSpec option = Options.find(spec, "--" + name);
        return option != null && !option.hidden() && !(WITH_FLAGS.contains(name) && option.arity().max() == 0);
    }

    // The space is that of a pool, of the stage of --at, or of stages among the operands.
    private boolean suits(String name) {
        return name.equals("space") && (hasScheduler || takesStages())
                ? isStaged || hasScheduler && (JobSettings.isScheduler("pool", given, configuration) || isGiven("--at"))
                : JobSettings.suits(name, given, configuration);
    }

    private boolean isTaken(Setting setting) {
        String name = setting.name();
        if (isStaged && !isTakenWithStage("--" + name, setting.value())) {
            return false;
        }
        if (NOT_OF_INDEX.contains(name) && Options.find(spec, "--index") != null && isGiven("--index")) {
            return false;
        }
        if (NOT_OF_RANKS.contains(name) && isGiven("--ranks") && isGiven("--scheduler")) {
            return false;
        }
        return switch (name) {
            case "strategy" -> !BatchOptions.isStreaming(setting.value())
                    || !command.plansToTheEnd() && !isGiven("--ranks") && !isGiven("--batches");
            case "batches" -> Configuration.valuesIn(given, "--strategy").stream().noneMatch(BatchOptions::isStreaming);
            default -> true;
        };
    }

    private boolean isTakenWithStage(String option, String value) {
        return switch (command) {
            case CP -> CpCommand.isTakenWithStage(option, value);
            case CMP -> StagedComparison.takes(option);
            default -> StagedOutput.takes(option);
        };
    }

    private boolean takesStages() {
        return command == CommandEntry.CP || command == CommandEntry.CMP || command == CommandEntry.WALK;
    }

    private boolean isGiven(String option) {
        return Configuration.isGiven(given, option);
    }

    // Values of options are no paths, except that of -t.
    private boolean namesStage() {
        boolean areOptions = true;
        for (int i = 1; i < given.length; i++) {
            String arg = given[i];
            if (areOptions && arg.equals("--")) {
                areOptions = false;
            } else if (!areOptions || !arg.startsWith("-")) {
                if (arg.startsWith("stage:")) {
                    return true;
                }
            } else if (arg.startsWith("--target-directory=stage:")
                    || !arg.startsWith("--") && arg.contains("tstage:")) {
                return true;
            } else if (Abbreviations.isBeforeValue(spec, arg) && !arg.equals("--target-directory")
                    && (arg.startsWith("--") || !arg.endsWith("t"))) {
                i++;
            }
        }
        return false;
    }
}
