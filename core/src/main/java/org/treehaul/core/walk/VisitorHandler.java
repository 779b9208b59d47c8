// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.SystemCallException;

/** Passes the entries that a walk finds to a visitor. */
final class VisitorHandler<V extends TreeVisitor> implements WalkHandler<Boolean> {

    private final V visitor;
    private final boolean withStatus;

    VisitorHandler(V visitor, boolean withStatus) {
        this.visitor = visitor;
        this.withStatus = withStatus;
    }

    V visitor() {
        return visitor;
    }

    @Override
    public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
        return visitor.visit(found.toEntry(withStatus));
    }

    @Override
    public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
        return Boolean.TRUE;
    }

    @Override
    public boolean needsDirectoryStatus() {
        return false;
    }

    @Override
    public void failed(EntryFailure failure) {
        visitor.failed(failure);
    }
}
