// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.io.Serial;

/** Says what is wrong with a template and where. The message is printable. */
public final class TemplateException extends IllegalArgumentException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final int position;

    TemplateException(String condition, int position, String problem) {
        super("'" + condition + "', character " + position + ": " + problem);
        this.position = position;
    }

    /** Returns which character of the condition is the first wrong one, from 1. */
    public int position() {
        return position;
    }
}
