// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import java.io.IOException;

import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.operation.Operation;

/**
 * The programs that the user of a transfer chose: the command of {@code treehaul run}, and that of
 * {@code --on-complete}. No worker of a pool runs one as root: the submission refuses it, and so does the worker.
 */
public final class UserPrograms {

    private UserPrograms() {}

    /**
     * Checks the command of {@code --on-complete}, which the launch files or an option have.
     *
     * @param isGiven whether there is such a command
     * @throws TransferException if there is one, and this process is root's; the message has the remedy
     */
    public static void checkOnComplete(boolean isGiven) throws IOException {
        if (isGiven && isRoot()) {
            throw new TransferException("no worker of a pool runs a command as root: leave out --on-complete, or give "
                    + "it as '' if a setting or the transfer has it; or give the transfer to another scheduler, or "
                    + "submit it as an ordinary user");
        }
    }

    /**
     * Checks that entries are not given to a command of the user.
     *
     * @throws TransferException if they are, and this process is root's; the message has the remedy
     */
    public static void checkOperation(Operation operation) throws IOException {
        if (operation instanceof Operation.Run && isRoot()) {
            throw new TransferException("no worker of a pool runs a command as root: give the commands of 'treehaul "
                    + "run' to another scheduler, such as --scheduler local, or submit them as an ordinary user");
        }
    }

    /**
     * Checks a transfer whose launch files are written.
     *
     * @throws TransferException if it has a program, and this process is root's; the message has the remedy
     */
    public static void check(TransferDirectory transfer) throws IOException {
        checkOperation(transfer.operation());
        checkOnComplete(ServerView.exists(transfer.launch().resolve("on-complete")));
    }

    private static boolean isRoot() throws IOException {
        return ProcessStatus.read().effectiveUid() == 0;
    }
}
