// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.Serial;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Thrown for arguments that are invalid together. Its message can be printed as it is. */
public final class UsageException extends ParameterException {

    @Serial
    private static final long serialVersionUID = 1L;

    public UsageException(CommandLine commandLine, String message) {
        super(commandLine, message);
    }
}
