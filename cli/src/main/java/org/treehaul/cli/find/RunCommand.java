// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.treehaul.core.copy.options.ShellWord;
import org.treehaul.core.entry.ByteString;

/**
 * A command that is run with paths by xargs(1), which takes them byte for byte from a pipe.
 *
 * @param words the command and its arguments
 * @param isBatch whether it is run with many paths at a time
 * @param parallel how many are run at the same time, 0 for one for each processor
 */
record RunCommand(List<ByteString> words, boolean isBatch, int parallel) {

    /** The word in whose place the path or the paths come. */
    static final ByteString PLACE = ByteString.of("{}");

    /** Codes of xargs: a command failed, one ended with 255, one was killed, none could be run, none was found. */
    private static final int FIRST_CODE = 123;

    RunCommand {
        words = List.copyOf(words);
    }

    /** A running xargs. */
    record Running(Process process, OutputStream paths) {

        /** Ends the list of paths, waits for the commands, and returns the problem, empty if there is none. */
        String end() throws InterruptedException {
            try {
                paths.close();
            } catch (IOException e) {
                // It has ended before; its code says why.
            }
            int code = process.waitFor();
            return switch (code) {
                case 0 -> "";
                case FIRST_CODE -> "the command failed for some entries; its messages are above";
                case FIRST_CODE + 1 -> "the command ended with 255, so that it was not run for further entries";
                case FIRST_CODE + 2 -> "a signal ended the command, so that it was not run for further entries";
                case FIRST_CODE + 3 -> "the command cannot be run; check that it is executable";
                case FIRST_CODE + 4 -> "there is no such command; check its name and the PATH";
                default -> "xargs, which runs the command, ended with " + code;
            };
        }
    }

    /** Starts xargs. */
    Running start() throws IOException {
        Process process = new ProcessBuilder("bash", "-s").redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        OutputStream in = process.getOutputStream();
        // The JVM passes arguments in the encoding of the locale, so the shell gets their bytes in quotes. It reads a pipe
        // byte by byte up to the end of the line; xargs reads the paths behind it, which no shell sees.
        in.write(line());
        in.flush();
        return new Running(process, new BufferedOutputStream(in, 64 * 1024));
    }

    private byte[] line() {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int processes = parallel > 0 ? parallel : Runtime.getRuntime().availableProcessors();
        boolean hasPlace = words.stream().anyMatch(RunCommand::hasPlace);
        write(line, "exec xargs -0 -r -P " + processes + (isBatch ? "" : hasPlace ? " -I {}" : " -n 1") + " --");
        for (ByteString word : words) {
            if (isBatch && word.equals(PLACE)) {
                continue;
            }
            line.write(' ');
            line.writeBytes(ShellWord.quoted(word));
        }
        write(line, "\n");
        return line.toByteArray();
    }

    private static boolean hasPlace(ByteString word) {
        return new String(word.toBytes(), StandardCharsets.ISO_8859_1).contains("{}");
    }

    private static void write(ByteArrayOutputStream to, String text) {
        to.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }
}
