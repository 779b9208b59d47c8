// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.OperationTarget;

/**
 * Runs a command for single entries: for directories, which the finishing of a transfer processes. Their outputs go to
 * standard error of this process.
 *
 * @param task the command
 */
public record CommandOperation(CommandTask task) implements EntryOperation {

    @Override
    public void entry(OperationTarget target) throws SystemCallException {
        run(target.path().below(target.root()));
    }

    @Override
    public void directory(OperationTarget target) throws SystemCallException {
        run(target.path().below(target.root()));
    }

    private void run(ByteString path) throws SystemCallException {
        try (TaskRunner runner = TaskRunner.open(Linux.calls(), task, false)) {
            // Standard output may carry results, or the answers to a worker of root.
            TaskEnd end = runner.run(path, new TaskOutputs.Opened(2, 2, () -> {}));
            if (end.failure().isPresent()) {
                throw end.failure().get();
            }
        }
    }
}
