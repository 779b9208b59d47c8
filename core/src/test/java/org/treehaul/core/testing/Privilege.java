// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.io.IOException;
import java.io.UncheckedIOException;

import org.junit.jupiter.api.Assumptions;
import org.treehaul.core.fs.ProcessStatus;

/** Checks the privileges of the user who runs the tests. */
public final class Privilege {

    private Privilege() {}

    /** CAP_SYS_ADMIN of linux/capability.h. In a container, root usually lacks it. */
    public static final int SYS_ADMIN = 21;

    /** Returns whether the user is root. */
    public static boolean isRoot() {
        return status().effectiveUid() == 0;
    }

    private static ProcessStatus status() {
        try {
            return ProcessStatus.read();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Skips the test, with the reason, if a capability of capabilities(7) is missing. */
    public static void requireCapability(int number, String why) {
        Assumptions.assumeTrue(status().hasCapability(number), "needs capability " + number + ": " + why);
    }

    /** Skips the test, with the reason, for users other than root. */
    public static void requireRoot(String why) {
        Assumptions.assumeTrue(isRoot(), "needs root: " + why);
    }
}
