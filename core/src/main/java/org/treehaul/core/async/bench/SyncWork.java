// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.bench;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

import org.treehaul.core.async.AsyncFileException;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;

/** Reads or writes by one system call after another. */
record SyncWork(Share share, FileSystemCalls calls) implements IoWork {

    @Override
    public void run() throws IOException {
        IoParameters parameters = share.parameters();
        MemorySegment block = IoBuffer.allocate(parameters.blockBytes()).segment();
        int flags = (parameters.writes()
                ? LinuxConstants.O_WRONLY | LinuxConstants.O_CREAT | LinuxConstants.O_TRUNC
                : LinuxConstants.O_RDONLY) | (parameters.isDirect() ? LinuxConstants.O_DIRECT : 0);
        try (FileAccess access = FileAccess.open(calls)) {
            for (int i = 0; i < parameters.files() && !share.isCancelled().getAsBoolean(); i++) {
                ByteString path = share.files().path(share.thread(), i);
                try {
                    int file = access.open(LinuxConstants.AT_FDCWD, access.name(path.toBytes()), flags, 0600);
                    try {
                        file(access, file, block);
                    } finally {
                        FileAccess.check("close", calls.close(file));
                    }
                } catch (SystemCallException e) {
                    throw new AsyncFileException(path, e.operation(), e.errno(), 0);
                }
            }
        }
    }

    private void file(FileAccess access, int file, MemorySegment block) throws SystemCallException {
        IoParameters parameters = share.parameters();
        for (int i = 0; i < parameters.blocks() && !share.isCancelled().getAsBoolean(); i++) {
            long offset = i * block.byteSize();
            if (parameters.writes()) {
                access.writeFully(file, block, offset);
            } else if (access.readFully(file, block, offset) < block.byteSize()) {
                throw new SystemCallException("read", Errno.ENODATA);
            }
        }
        if (parameters.writes() && parameters.syncs()) {
            FileAccess.check("sync", calls.fdatasync(file));
        }
    }
}
