// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.io.Serial;

/** A syntax error in a template, with its position. The message is printable. */
public final class ConditionException extends IllegalArgumentException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final int position;

    ConditionException(String condition, int position, String problem) {
        super("'" + condition + "', character " + position + ": " + problem);
        this.position = position;
    }

    /** Returns the position of the first wrong character in the condition, from 1. */
    public int position() {
        return position;
    }
}
