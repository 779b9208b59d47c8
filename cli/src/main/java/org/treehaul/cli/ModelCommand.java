// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.concurrent.Callable;
import java.util.function.Supplier;

import org.treehaul.cli.common.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A command about the commands themselves, such as {@code help}. */
abstract class ModelCommand implements Callable<Integer> {

    final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final Supplier<CommandLine> all;

    /**
     * Defines the command for Picocli.
     *
     * @param all creates the model of all commands
     */
    ModelCommand(String name, Supplier<CommandLine> all) {
        this.all = all;
        spec.name(name);
    }

    /** Returns a new model of all commands. */
    CommandLine all() {
        return all.get();
    }

    /** Prints a text to standard output and returns the exit code. */
    int print(String text) {
        spec.commandLine().getOut().print(text);
        spec.commandLine().getOut().flush();
        return ExitCode.DONE.code();
    }
}
