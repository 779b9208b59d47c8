// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The line with which a test's process reports that its work begins. */
public final class Ready {

    /** The content of the line. */
    public static final String LINE = "READY";

    private Ready() {}

    /**
     * Waits for the line, and returns the output after it. Messages of a logger may precede it, and those of the JVM
     * about JAVA_TOOL_OPTIONS.
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
