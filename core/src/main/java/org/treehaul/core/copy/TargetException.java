// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.fs.SystemCallException;

/** A call that failed at the destination, where a bare {@link SystemCallException} is one at the source. */
final class TargetException extends Exception {

    private static final long serialVersionUID = 1L;

    private final SystemCallException call;

    TargetException(SystemCallException call) {
        super(null, call, false, false);
        this.call = call;
    }

    TargetException(String operation, int errno) {
        this(new SystemCallException(operation, errno));
    }

    SystemCallException call() {
        return call;
    }

    /** Throws when the result of a call at the destination is an error. */
    static int check(String operation, int result) throws TargetException {
        if (result < 0) {
            throw new TargetException(operation, -result);
        }
        return result;
    }
}
