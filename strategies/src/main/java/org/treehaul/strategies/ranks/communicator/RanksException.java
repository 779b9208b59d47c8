// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

/** Thrown when the group of ranks is broken: one is gone or cannot be reached. Unfinished work is not done. */
public class RanksException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Makes an exception whose message states the problem. */
    public RanksException(String message) {
        super(message);
    }

    /** Makes an exception whose message states the problem, with its cause. */
    public RanksException(String message, Throwable cause) {
        super(message, cause);
    }
}
