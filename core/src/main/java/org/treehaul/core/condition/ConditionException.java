// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.io.Serial;
import java.util.Arrays;

import org.treehaul.core.entry.ByteString;

/** A syntax error in a condition, with its position. The message is printable. */
public final class ConditionException extends IllegalArgumentException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final int position;

    ConditionException(String condition, int position, String problem) {
        super("'" + condition + "', character " + position + ": " + problem);
        this.position = position;
    }

    /** Returns an error at a byte of a condition. */
    static ConditionException at(ByteString condition, int index, String problem) {
        byte[] bytes = condition.toBytes();
        int characters = BytePattern.characters(Arrays.copyOf(bytes, Math.min(index, bytes.length))).length;
        return new ConditionException(condition.toString(), characters + 1, problem);
    }

    /** Returns the position of the first wrong character in the condition, from 1. */
    public int position() {
        return position;
    }
}
