// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.io.IOException;
import java.io.UncheckedIOException;

import org.junit.jupiter.api.Assumptions;
import org.treehaul.core.fs.ProcessStatus;

/** Says what the user that the tests run as may do. */
public final class Privilege {

    private Privilege() {}

    /** CAP_SYS_ADMIN of linux/capability.h. In a container root mostly lacks it. */
    public static final int SYS_ADMIN = 21;

    /** Returns true for root. */
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

    /** Skips the test for who lacks a capability of capabilities(7), with the reason. */
    public static void requireCapability(int number, String why) {
        Assumptions.assumeTrue(status().hasCapability(number), "needs capability " + number + ": " + why);
    }

    /** Skips the test for others than root, with the reason. */
    public static void requireRoot(String why) {
        Assumptions.assumeTrue(isRoot(), "needs root: " + why);
    }
}
