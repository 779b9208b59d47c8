// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import org.junit.jupiter.api.BeforeEach;

/** Repeats the tests of lost parts of a tree with hardly any memory. */
class IndexLossInPartsTest extends IndexLossTest {

    @BeforeEach
    void holdAlmostNothing() {
        tree.limit(IndexedTree.TINY);
    }
}
