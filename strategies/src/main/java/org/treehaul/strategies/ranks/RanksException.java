// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/** The group of ranks is broken: one is gone or cannot be reached. What was not finished is not done. */
public class RanksException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Makes an exception that says what is wrong. */
    public RanksException(String message) {
        super(message);
    }

    /** Makes an exception that says what is wrong and why. */
    public RanksException(String message, Throwable cause) {
        super(message, cause);
    }
}
