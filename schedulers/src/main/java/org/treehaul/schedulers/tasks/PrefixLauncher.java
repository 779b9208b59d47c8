// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.schedulers.common.net.PbsNodes;

/**
 * Puts words before each command.
 *
 * @param words the words; none for a process on this host
 * @param isForShell whether a shell reads the words of the command
 */
record PrefixLauncher(List<String> words, boolean isForShell) implements Launcher {

    static final Launcher HERE = new Launcher() {
        @Override
        public Process start(String host, ProcessBuilder command) throws IOException {
            return command.start();
        }

        @Override
        public boolean isHere() {
            return true;
        }
    };

    PrefixLauncher {
        words = List.copyOf(words);
        if (words.isEmpty() || words.getFirst().isEmpty()) {
            throw new IllegalArgumentException("no words before the command");
        }
    }

    @Override
    public Process start(String host, ProcessBuilder command) throws IOException {
        if (!host.isEmpty()) {
            command.command(commandFor(host, command.command()));
        }
        return command.start();
    }

    List<String> commandFor(String host, List<String> command) throws IOException {
        if (host.startsWith("-")) {
            // The program would take it for an option.
            throw new IOException("no name of a host: '" + host + "'");
        }
        List<String> all = new ArrayList<>();
        String name = PbsNodes.name(words.getFirst(), host);
        words.forEach(word -> all.add(word.replace("{host}", name)));
        command.forEach(word -> all.add(isForShell ? quoted(word) : word));
        return all;
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
