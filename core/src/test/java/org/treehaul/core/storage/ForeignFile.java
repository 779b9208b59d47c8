// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** A file of a store that no other store knows, and whose data cannot be read. */
final class ForeignFile implements SourceFile {

    @Override
    public FileStatus status() throws SystemCallException {
        throw new SystemCallException("stat", Errno.EIO);
    }

    @Override
    public long read(MemorySegment into, long offset) throws SystemCallException {
        throw new SystemCallException("read", Errno.EIO);
    }

    @Override
    public long read(MemorySegment into) throws SystemCallException {
        throw new SystemCallException("read", Errno.EIO);
    }

    @Override
    public void rewind() throws SystemCallException {
        throw new SystemCallException("lseek", Errno.EIO);
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}
