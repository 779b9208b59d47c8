// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The processes of a process group, as proc_pid_stat(5) shows them. */
final class ProcessGroup {

    private static final Path PROCESSES = Path.of("/proc");
    private static final int STATE = 0;
    private static final int GROUP = 2;

    private ProcessGroup() {}

    /** Returns whether a process of a group has not ended; false if this user may not see it. */
    static boolean isAlive(int group) {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[1-9]*")) {
            for (Path process : processes) {
                if (isIn(group, process)) {
                    return true;
                }
            }
            return false;
        } catch (IOException | DirectoryIteratorException e) {
            return false;
        }
    }

    private static boolean isIn(int group, Path process) {
        String status;
        try {
            status = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            // It has ended, and nothing of it is left.
            return false;
        }
        // The name is in parentheses, and may contain some. State, parent and group follow it.
        String[] fields = status.substring(status.lastIndexOf(')') + 1).strip().split(" ", GROUP + 2);
        return fields.length > GROUP && fields[GROUP].equals(String.valueOf(group)) && !"ZX".contains(fields[STATE]);
    }
}
