// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.nio.charset.StandardCharsets;

/**
 * A job script. It names its transfer and generation by their ids and no path, and is small whatever the tree: the
 * scheduler copies and keeps it.
 *
 * @param name the name of its file
 * @param text the whole of it
 */
public record Script(String name, String text) {
    /** Less than this many bytes are in a script without the lines that the user adds. */
    public static final int LIMIT = 8192;

    /** Checks that it is a script. */
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
