// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import org.junit.jupiter.api.Nested;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** The contract of trees, checked for a map; that of the operating system is checked where its trees are. */
class TreesTest {

    /** A tree in a map. */
    abstract static class MapTree extends TreeContract {
        private final MapStore store;

        MapTree(MapStore store) {
            this.store = store;
        }

        @Override
        protected TargetTree target() {
            return store.target();
        }

        @Override
        protected SourceTree source() {
            return store.source();
        }
    }

    @Nested
    class InAMap extends MapTree {
        InAMap() {
            super(new MapStore());
        }
    }

    /** A store that has neither links nor other kinds of entries, and takes data in order. */
    @Nested
    class InAPlainStore extends MapTree {
        InAPlainStore() {
            super(new MapStore() {
                @Override
                protected void before(String operation, TreePath path) throws SystemCallException {
                    if (operation.equals("makeLink") || operation.equals("makeNode")) {
                        throw new SystemCallException(operation, Errno.EOPNOTSUPP);
                    }
                }

                @Override
                protected MapFile created(TreePath path, MapFile.Content data) {
                    return new OrderedMapFile(data);
                }
            });
        }

        @Override
        protected boolean hasLinks() {
            return false;
        }

        @Override
        protected boolean hasNodes() {
            return false;
        }
    }
}
