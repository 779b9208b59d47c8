// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.Serial;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Thrown for arguments that are invalid together. Its message can be printed as it is. */
public final class UsageException extends ParameterException {

    @Serial
    private static final long serialVersionUID = 1L;

    public UsageException(CommandLine commandLine, String message) {
        super(commandLine, message);
    }

    /**
     * Returns the value of an option that must be at least 1.
     *
     * @param most the highest value; {@code Long.MAX_VALUE} for no limit
     * @throws UsageException if it is out of range
     */
    public static long fromOne(CommandSpec command, String option, long most, long value) {
        return between(command, option, 1, most, value);
    }

    /**
     * Returns the value of an option that must be within bounds.
     *
     * @param least the lowest value
     * @param most the highest value; {@code Long.MAX_VALUE} for no limit
     * @throws UsageException if it is out of range
     */
    public static long between(CommandSpec command, String option, long least, long most, long value) {
        if (value < least || value > most) {
            throw new UsageException(command.commandLine(), option + " must be " + least
                    + (most == Long.MAX_VALUE ? " or more" : " to " + most) + ", not " + value);
        }
        return value;
    }
}
