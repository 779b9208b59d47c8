// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.io.IOException;
import java.io.UncheckedIOException;

import org.junit.jupiter.api.Assumptions;
import org.treehaul.core.fs.ProcessStatus;

/** Says whether the tests run as root. */
public final class Privilege {

    private Privilege() {}

    /** Returns true for root. */
    public static boolean isRoot() {
        try {
            return ProcessStatus.read().effectiveUid() == 0;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Skips the test for others than root, with the reason. */
    public static void requireRoot(String why) {
        Assumptions.assumeTrue(isRoot(), "needs root: " + why);
    }
}
