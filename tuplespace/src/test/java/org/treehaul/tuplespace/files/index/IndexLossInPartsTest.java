// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Repeats the tests of lost parts of a tree with hardly any memory. */
@Tag("rig")
class IndexLossInPartsTest extends IndexLossTest {

    @BeforeEach
    void holdAlmostNothing() {
        tree.limit(IndexedTree.TINY);
    }

    @Override
    @Test
    @SuppressWarnings("JUnitMethodInvoked") // one case of them runs every day
    @Tag("happy-path")
    void aLossOfMoreThanATenthIsKeptAndReportedUntilItIsAccepted() throws Exception {
        super.aLossOfMoreThanATenthIsKeptAndReportedUntilItIsAccepted();
    }
}
