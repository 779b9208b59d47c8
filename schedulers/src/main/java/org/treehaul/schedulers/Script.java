// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.nio.charset.StandardCharsets;

/**
 * A job script. It contains the ids of its transfer and generation but no path, and is small for any tree, because the
 * scheduler copies and keeps it.
 *
 * @param name the name of its file
 * @param text its full text
 */
public record Script(String name, String text) {
    /** The size in bytes that a script stays below, not counting the lines that the user adds. */
    public static final int LIMIT = 8192;

    /** Checks the name, the first line and the last newline. */
    public Script {
        if (!name.matches("[a-z0-9.-]+")) {
            throw new IllegalArgumentException("not the name of a script: " + name);
        }
        if (!text.startsWith("#!") || !text.endsWith("\n")) {
            throw new IllegalArgumentException("not a script: " + name);
        }
    }

    /** Returns its size in bytes. */
    public int bytes() {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
