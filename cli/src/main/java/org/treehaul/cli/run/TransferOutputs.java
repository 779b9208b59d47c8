// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.io.IOException;

import org.treehaul.cli.common.Session;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.task.CommandTask;
import org.treehaul.core.transfer.OutputsInOrder;
import org.treehaul.core.transfer.directory.TransferDirectory;

/** Prints the outputs that jobs have kept, in the order of the files. */
final class TransferOutputs {

    /** Prints the file of an output. */
    @FunctionalInterface
    private interface Print {
        void file(ByteString path, int descriptor) throws SystemCallException;
    }

    private final FileSystemCalls calls = Linux.calls();
    private final OutputPrinter printer;

    TransferOutputs(Session session, boolean isTagged) {
        this.printer = new OutputPrinter(session, isTagged);
    }

    /** Prints the outputs of a transfer. */
    void print(TransferDirectory transfer, CommandTask task) throws IOException {
        try (FileAccess access = FileAccess.open(calls)) {
            OutputsInOrder.each(transfer, task, (path, out, err) -> {
                print(access, path, out, printer::printOut);
                print(access, path, err, printer::printErr);
            });
        }
    }

    // Empty outputs have no file, nor have commands that did not run.
    private void print(FileAccess access, ByteString path, ByteString file, Print print) throws SystemCallException {
        int opened;
        try {
            opened = LongPath.open(access, file, O_RDONLY | O_NOFOLLOW);
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return;
            }
            throw new SystemCallException("open the output (" + file + ")", e.errno());
        }
        try {
            print.file(path, opened);
        } finally {
            calls.close(opened);
        }
    }
}
