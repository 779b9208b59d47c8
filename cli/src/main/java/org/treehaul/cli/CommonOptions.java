// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import org.treehaul.cli.args.AttachedValue;
import org.treehaul.cli.report.Screen;
import org.treehaul.cli.report.Terminal;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How a command runs and reports: the options that every one has. */
final class CommonOptions {

    /** When to do something that depends on where the output goes. */
    enum When {
        auto,
        always,
        never
    }

    @Spec(Spec.Target.MIXEE)
    CommandSpec command;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Use N threads, 1 to 256. By default as many as pay, tried out while it runs.")
    int threads;

    @Option(names = "--json", description = "Print NDJSON: one JSON object a line.")
    boolean json;

    @Option(
            names = "--progress",
            paramLabel = "WHEN",
            arity = "0..1",
            fallbackValue = "always",
            preprocessor = AttachedValue.class,
            description = "auto: a bar on a terminal, else a line now and then; always: a bar; never. Default: auto.")
    When progress = When.auto;

    @Option(
            names = "--progress-interval",
            paramLabel = "SECONDS",
            description = "Seconds between two lines of progress where there is no bar. Default: 10.")
    int interval = 10;

    @Option(
            names = "--color",
            paramLabel = "WHEN",
            arity = "0..1",
            fallbackValue = "always",
            preprocessor = AttachedValue.class,
            description = "Colours: auto, always or never. NO_COLOR is heeded.")
    When color = When.auto;

    @Option(names = {"-v", "--verbose"}, description = "Tell more; twice for diagnostics.")
    boolean[] verbose = {};

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Print this help.")
    boolean help;

    /** Checks what the types do not. */
    void check() {
        if (threads < 0 || threads > 256
                || threads == 0 && command.commandLine().getParseResult().hasMatchedOption("--threads")) {
            throw usage("--threads takes 1 to 256, not " + threads);
        }
        if (interval < 1) {
            throw usage("--progress-interval takes 1 or more seconds, not " + interval);
        }
    }

    int verbosity() {
        return verbose.length;
    }

    /** Returns where messages of this command go. */
    Screen screen() {
        return Screen.standard(command.name(), Terminal.wantsColor(color.name(), Terminal.ERR));
    }

    /** Returns the exception for arguments that make no sense. */
    ParameterException usage(String message) {
        return new UsageException(command.commandLine(), message);
    }
}
