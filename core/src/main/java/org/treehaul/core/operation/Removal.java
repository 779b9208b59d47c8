// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;

import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Removes entries by unlinkat(2). POSIX has no call that compares and removes in one step, so a name that is exchanged
 * after it was compared is still removed.
 */
public final class Removal implements EntryOperation {

    /** Creates an operation; one instance serves all threads of a process. */
    public Removal() {}

    @Override
    public void entry(OperationTarget target) throws SystemCallException {
        FileAccess.check("unlink", target.calls().unlinkat(target.directory(), target.name(), 0));
    }

    @Override
    public void directory(OperationTarget target) throws SystemCallException {
        FileAccess.check("rmdir", target.calls().unlinkat(target.directory(), target.name(), AT_REMOVEDIR));
    }

    @Override
    public boolean removes() {
        return true;
    }
}
