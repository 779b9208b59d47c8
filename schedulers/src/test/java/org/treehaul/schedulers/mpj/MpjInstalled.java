// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static org.junit.jupiter.api.Assumptions.abort;

import org.treehaul.strategies.ranks.RanksException;

/** MPJ Express where it is installed. */
final class MpjInstalled {

    private MpjInstalled() {}

    /** Returns where it is; skips the test otherwise. */
    static MpjHome home() {
        try {
            return MpjHome.find();
        } catch (RanksException e) {
            return abort(e.getMessage());
        }
    }
}
