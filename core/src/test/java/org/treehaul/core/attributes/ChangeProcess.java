// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.JavaCommand;
import org.treehaul.core.transfer.FatalCalls;

/** Changes many trees in a process of its own, which may lack the privileges of root. */
public final class ChangeProcess {

    // Without these, root is the ordinary owner of its files; see capabilities(7).
    static final List<String> ORDINARY = List.of("setpriv", "--bounding-set",
            "-dac_override,-dac_read_search,-fowner,-fsetid,-chown");

    private ChangeProcess() {}

    /**
     * The first argument is a file with lines of a tree, an expression, an octal umask and a number of threads; the
     * second one is optional: the call at which the process ends, see {@link FatalCalls}.
     */
    public static void main(String[] args) throws IOException {
        FileSystemCalls calls = args.length > 1 ? FatalCalls.of(Linux.calls(), args[1]) : Linux.calls();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] words = line.split("\t", -1);
            change(calls, Path.of(words[0]), ModeChange.parse(words[1], Integer.parseInt(words[2], 8)),
                    Integer.parseInt(words[3]));
        }
    }

    static void change(Path tree, AttributeChange change, int threads) {
        change(Linux.calls(), tree, change, threads);
    }

    private static void change(FileSystemCalls calls, Path tree, AttributeChange change, int threads) {
        TreeChanger.of(calls, change, ChangeOptions.ofTrees().withThreads(threads))
                .change(List.of(ByteString.of(tree.toString())), event -> {}, new Progress(), new Cancellation());
    }

    static void run(List<String> by, Path lines) throws IOException, InterruptedException {
        output(command(by, lines), 0);
    }

    /** Runs until it is killed at a call; returns whether it made that many calls. */
    static boolean isKilled(Path lines, String fatal) throws IOException, InterruptedException {
        List<String> command = command(List.of(), lines);
        command.add(fatal);
        int code = new ProcessBuilder(command).inheritIO().start().waitFor();
        assertThat(code).isIn(0, FatalCalls.KILLED);
        return code == FatalCalls.KILLED;
    }

    private static List<String> command(List<String> by, Path lines) {
        List<String> command = new ArrayList<>(by);
        command.addAll(JavaCommand.of(ChangeProcess.class, lines));
        return command;
    }

    static String output(List<String> command, int code) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertThat(process.waitFor()).as(text).isEqualTo(code);
        return text;
    }
}
