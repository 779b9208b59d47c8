// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import org.junit.jupiter.api.BeforeEach;

/** Repeats the tests of several roots with hardly any memory. */
class IndexedRootsInPartsTest extends IndexedRootsTest {

    @BeforeEach
    void holdAlmostNothing() {
        tree.limit(IndexedTree.TINY);
    }
}
