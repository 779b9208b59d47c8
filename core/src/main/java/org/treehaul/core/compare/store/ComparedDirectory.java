// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare.store;

import org.treehaul.core.entry.TreePath;
import org.treehaul.core.walk.frontier.Frontier;

/**
 * A directory of both trees whose content waits to be compared: the unit of work.
 *
 * @param path its path below both roots
 */
record ComparedDirectory(TreePath path) implements Frontier.Work<ComparedDirectory> {

    @Override
    public int units() {
        return 1;
    }

    @Override
    public ComparedDirectory takeOne() {
        return this;
    }

    @Override
    public ComparedDirectory takeHalf() {
        throw new IllegalStateException("not divisible");
    }
}
