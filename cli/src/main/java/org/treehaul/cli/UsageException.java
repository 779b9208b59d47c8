// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.Serial;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Arguments that make no sense together. Its message is ready to be printed. */
final class UsageException extends ParameterException {

    @Serial
    private static final long serialVersionUID = 1L;

    UsageException(CommandLine commandLine, String message) {
        super(commandLine, message);
    }
}
