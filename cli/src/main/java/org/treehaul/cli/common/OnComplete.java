// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.report.Screen;
import org.treehaul.core.fs.PrivateFiles;

/** The command of {@code --on-complete}, run by this process after a command that has no jobs to do so. */
public final class OnComplete {

    /** The name of the option. */
    public static final String OPTION = "--on-complete";

    private OnComplete() {}

    /**
     * Runs the command by bash, with the variables that jobs set too. Its output goes to standard error. A failure of
     * it is reported, and does not change the exit code.
     *
     * @param command the user's text, as an argument
     * @param code the exit code of the command that is complete
     */
    public static void run(String command, int code, Screen screen) throws InterruptedException {
        ProcessBuilder bash = new ProcessBuilder("bash", "-s").redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        bash.environment().put("TREEHAUL_TRANSFER", "");
        bash.environment().put("TREEHAUL_CODE", String.valueOf(code));
        try {
            Process process = bash.start();
            try (OutputStream script = process.getOutputStream()) {
                // Standard output is for results. The whole script is one command, so that it cannot read itself.
                script.write("{ exec 0</dev/null 1>&2\n".getBytes(StandardCharsets.US_ASCII));
                script.write(ExactArguments.bytes(command));
                script.write("\n}\n".getBytes(StandardCharsets.US_ASCII));
            }
            int ended = process.waitFor();
            if (ended != 0) {
                screen.error("the command of --on-complete ended with " + ended);
            }
        } catch (IOException e) {
            screen.error("cannot run the command of --on-complete: " + PrivateFiles.describe(e));
        }
    }
}
