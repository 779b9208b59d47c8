// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.help.ValueTable;
import org.treehaul.cli.help.Values;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Checks the value of a setting as the option of the same name checks its own. */
final class SettingCheck {

    private SettingCheck() {}

    /**
     * Checks a value; the empty one, which removes the setting of a file with less precedence, is valid.
     *
     * @param all a new model of all commands
     * @throws IllegalArgumentException if the option does not accept the value; the message gives the reason
     */
    static void check(CommandLine all, String name, String value) {
        for (CommandLine line : all.getSubcommands().values()) {
            CommandSpec command = line.getCommandSpec();
            OptionSpec option = command.findOption("--" + name);
            if (option == null || value.isEmpty() || command.usageMessage().hidden()) {
                continue;
            }
            if (option.arity().max() > 0) {
                requireWord(new ValueTable(all).option(command, option), name, value);
            }
            try {
                all.parseArgs(command.name(), "--" + name + "=" + value);
            } catch (MissingParameterException e) {
                // The operands of the command, which come after its options.
            } catch (UsageException e) {
                throw new IllegalArgumentException(e.getMessage(), e);
            } catch (ParameterException e) {
                throw new IllegalArgumentException(ExactArguments.printable(UsageErrors.describe(e)), e);
            }
            return;
        }
    }

    private static void requireWord(Values values, String name, String value) {
        if (values.kind() == Values.Kind.WORD && !values.words().contains(value)) {
            throw new IllegalArgumentException("--" + name + " must be one of " + String.join(", ", values.words())
                    + ", not '" + ExactArguments.printable(value) + "'");
        }
    }
}
