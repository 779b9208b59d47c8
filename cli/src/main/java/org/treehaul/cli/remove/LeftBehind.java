// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.core.copy.options.ShellWord;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.remove.RemoveOptions;
import org.treehaul.schedulers.batch.JobOrders;

/**
 * Removes paths in a process that stays behind when this one ends: a shell in a session of its own, so that the hangup
 * of the terminal does not reach it.
 *
 * @param log the file to which it appends a line for each entry
 */
record LeftBehind(RemoveOptions options, Optional<ByteString> log) {

    // The system limits the length of a command, mostly to 2 MiB; the hidden names make it longer than that of the user.
    private static final int MOST_BYTES = 100_000;

    private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use\\w*GC\\b");

    private static final List<String> SHELL = List.of("/bin/sh", "-c",
            "if command -v setsid > /dev/null; then exec setsid sh -s; else exec sh -s; fi");

    /**
     * Starts the process.
     *
     * @return its number
     * @throws IOException if it cannot be started
     */
    long remove(List<ByteString> paths) throws IOException {
        byte[] script = script(paths);
        Process process = new ProcessBuilder(SHELL).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (OutputStream input = process.getOutputStream()) {
            input.write(script);
        }
        return process.pid();
    }

    // The whole script is one command, so that the shell has read it before it closes its input. The script is passed
    // as bytes, because Java cannot pass each name as an argument.
    private byte[] script(List<ByteString> paths) throws IOException {
        ByteArrayOutputStream script = new ByteArrayOutputStream();
        write(script, "{ exec < /dev/null\n");
        int left = 0;
        for (ByteString path : paths) {
            if (left <= 0) {
                script.write('\n');
                for (ByteString word : command()) {
                    write(script, word);
                }
                left = MOST_BYTES;
            }
            left -= path.length();
            write(script, path);
        }
        write(script, "\n}\n");
        return script.toByteArray();
    }

    private List<ByteString> command() throws IOException {
        List<ByteString> words = new ArrayList<>();
        words.add(ByteString.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        jvm(System.getenv()).forEach(flag -> words.add(ByteString.of(flag)));
        for (String word : List.of("--enable-native-access=ALL-UNNAMED", "-cp", CopyRequests.jar().toString(),
                "org.treehaul.cli.Main", "rm", "-rf")) {
            words.add(ByteString.of(word));
        }
        if (options.oneFileSystem()) {
            words.add(ByteString.of("-x"));
        }
        if (options.rate() > 0) {
            words.add(ByteString.of("--rate=" + options.rate()));
        }
        if (options.threads() > 0) {
            words.add(ByteString.of("--threads=" + options.threads()));
        }
        log.ifPresent(file -> words.addAll(List.of(ByteString.of("--log-file"), file)));
        words.add(ByteString.of("--"));
        return words;
    }

    /** Returns the options of the JVM, as the treehaul script gives them to {@code rm}. */
    static List<String> jvm(Map<String, String> environment) {
        List<String> flags = new ArrayList<>(JobOrders.jvm());
        flags.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:C1MaxInlineLevel=20", "-XX:C1MaxInlineSize=50",
                "-XX:C1InlineStackLimit=16", "-XX:Tier3LoadFeedback=1000"));
        if (COLLECTOR.matcher(environment.getOrDefault("JDK_JAVA_OPTIONS", "") + " "
                + environment.getOrDefault("JAVA_TOOL_OPTIONS", "")).find()) {
            // The JVM rejects two collectors: that of the user replaces ours.
            flags.removeIf(flag -> COLLECTOR.matcher(flag).find());
        }
        return flags;
    }

    private static void write(ByteArrayOutputStream script, ByteString word) {
        script.write(' ');
        script.writeBytes(ShellWord.quoted(word));
    }

    private static void write(ByteArrayOutputStream script, String text) {
        script.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }
}
