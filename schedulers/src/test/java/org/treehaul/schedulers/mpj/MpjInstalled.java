// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static org.junit.jupiter.api.Assumptions.abort;

import org.treehaul.strategies.ranks.communicator.RanksException;

/** Finds MPJ Express for tests that need it. */
final class MpjInstalled {

    private MpjInstalled() {}

    /** Returns the installation, or skips the test if there is none. */
    static MpjHome home() {
        try {
            return MpjHome.find();
        } catch (RanksException e) {
            return abort(e.getMessage());
        }
    }
}
