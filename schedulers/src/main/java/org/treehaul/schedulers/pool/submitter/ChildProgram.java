// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.submitter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The program that carries out the transfers of other users; it has to call {@link Service}.
 *
 * @param command the program and its first arguments; {@link #command} lists the rest
 * @param stateDirectory the state directory of each user, in which {@code %u} is the name of the user; empty for the
 *        one that the program finds as the user
 * @param silence the time without a sign of life after which a process is killed
 * @param grace the time that a process has to stop before it is killed
 */
public record ChildProgram(List<String> command, String stateDirectory, Duration silence, Duration grace) {

    /** The place of the user's name in the path of the state directory. */
    public static final String USER = "%u";

    /** Copies the command. */
    public ChildProgram {
        command = List.copyOf(command);
    }

    /** Returns a program with the usual times. */
    public static ChildProgram of(List<String> command, String stateDirectory) {
        return new ChildProgram(command, stateDirectory, Duration.ofMinutes(1), Duration.ofSeconds(15));
    }

    /**
     * Returns the command of a process. It has the groups, the group and the number of the user, nothing of the
     * environment of this process, no privilege that a program could give it back, and a session of its own, so no
     * terminal.
     */
    List<String> command(Submitter user, String transfer, int generation, int threads, int number) {
        List<String> words = new ArrayList<>(List.of("setsid", "setpriv", "--reuid=" + user.uid(),
                "--regid=" + user.gid(), "--init-groups", "--inh-caps=-all", "--no-new-privs", "--reset-env", "--",
                // Names of files need a charset that has all characters.
                "env", "LC_ALL=C.UTF-8"));
        words.addAll(command);
        words.addAll(List.of("--submitted=" + user.uid() + ":" + transfer, "--generation=" + generation,
                "--index=" + number));
        if (threads > 0) {
            words.add("--threads=" + threads);
        }
        if (!stateDirectory.isEmpty()) {
            words.add("--state-dir=" + stateDirectory.replace(USER, user.name()));
        }
        return words;
    }
}
