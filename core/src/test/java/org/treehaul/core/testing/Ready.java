// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The line by which a process of a test says that its work begins. */
public final class Ready {

    /** What it prints. */
    public static final String LINE = "READY";

    private Ready() {}

    /**
     * Waits for the line, and returns what comes after it. What a logger has to say may come first, and what the JVM
     * tells of JAVA_TOOL_OPTIONS.
     */
    public static BufferedReader await(Process process) throws IOException {
        BufferedReader output = process.inputReader();
        List<String> before = new ArrayList<>();
        for (String line = output.readLine(); !LINE.equals(line); line = output.readLine()) {
            if (line == null) {
                throw new AssertionError("ended before it was ready: " + before);
            }
            before.add(line);
        }
        return output;
    }
}
