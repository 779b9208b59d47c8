// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import org.junit.jupiter.api.Nested;

/** The contract of trees, checked for a map; that of the operating system is checked where its trees are. */
class TreesTest {

    @Nested
    class InAMap extends TreeContract {
        private final MapStore store = new MapStore();

        @Override
        protected TargetTree target() {
            return store.target();
        }

        @Override
        protected SourceTree source() {
            return store.source();
        }
    }
}
