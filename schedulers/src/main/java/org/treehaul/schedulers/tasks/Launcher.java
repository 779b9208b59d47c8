// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.io.IOException;
import java.util.List;

/** Starts the processes of a group on hosts. Any thread may call the methods. */
public interface Launcher {

    /**
     * Starts a process.
     *
     * @param host the host that holds its segments; empty if that is indifferent
     * @param command the command, and where its outputs go
     * @return the process, or one that ends when it ends; it is ended by {@link Process#destroyForcibly}
     * @throws IOException if it cannot be started
     */
    Process start(String host, ProcessBuilder command) throws IOException;

    /** Returns whether all processes run on this host, so that they need not be reached through its network. */
    default boolean isHere() {
        return false;
    }

    /** Returns a launcher that starts each process on this host, for whichever host it is meant. */
    static Launcher here() {
        return PrefixLauncher.HERE;
    }

    /**
     * Returns a launcher that puts words before each command, such as those of srun(1).
     *
     * @param words the words, in which <code>&#123;host&#125;</code> is replaced by the host; a process that is meant
     *        for no host is started here without them
     * @throws IllegalArgumentException if there is no word
     */
    static Launcher prefix(List<String> words) {
        return new PrefixLauncher(words, false);
    }

    /**
     * Returns a launcher like {@link #prefix} for programs that give the command to a shell, such as ssh(1): each word
     * of the command is quoted for it.
     *
     * @param words the words, as for {@link #prefix}
     * @throws IllegalArgumentException if there is no word
     */
    static Launcher shellPrefix(List<String> words) {
        return new PrefixLauncher(words, true);
    }
}
