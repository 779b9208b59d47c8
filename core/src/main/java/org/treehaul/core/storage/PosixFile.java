// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import static org.treehaul.core.fs.LinuxConstants.SEEK_HOLE;
import static org.treehaul.core.fs.LinuxConstants.SEEK_SET;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * A file of the operating system, as an open descriptor. Each method makes exactly one system call on the caller's
 * thread, except that {@link #readFully} and the writes repeat theirs after a short result.
 *
 * <p>
 * Any number of these objects may exist for one descriptor, such as one for each thread with the thread's own access.
 * The descriptor is closed once, by {@link #close} of one of them or by other means.
 *
 * @param access the thread's access to files
 * @param descriptor open for the calls to be made
 */
public record PosixFile(FileAccess access, int descriptor) implements SourceFile, TargetFile {

    @Override
    public FileStatus status() throws SystemCallException {
        return access.status(descriptor);
    }

    @Override
    public long read(MemorySegment into) throws SystemCallException {
        return access.readSome(descriptor, into);
    }

    @Override
    public long readFully(MemorySegment into) throws SystemCallException {
        return access.readFully(descriptor, into);
    }

    @Override
    public void rewind() throws SystemCallException {
        FileAccess.check("lseek", access.calls().lseek(descriptor, 0, SEEK_SET));
    }

    @Override
    public void close() {
        access.closeQuietly(descriptor);
    }

    @Override
    public long read(MemorySegment into, long offset) throws SystemCallException {
        return FileAccess.check("read", access.calls().pread(descriptor, into, offset));
    }

    @Override
    public long readFully(MemorySegment into, long offset) throws SystemCallException {
        return access.readFully(descriptor, into, offset);
    }

    @Override
    public long nextData(long offset) throws SystemCallException {
        long data = access.nextData(descriptor, offset);
        return data >= 0 ? data : data == -Errno.ENXIO ? NO_DATA : UNKNOWN;
    }

    @Override
    public long nextHole(long data) throws SystemCallException {
        return FileAccess.check("lseek", access.calls().lseek(descriptor, data, SEEK_HOLE));
    }

    @Override
    public void write(MemorySegment data) throws SystemCallException {
        access.writeFully(descriptor, data);
    }

    @Override
    public void write(MemorySegment data, long offset) throws SystemCallException {
        access.writeFully(descriptor, data, offset);
    }

    @Override
    public void setSize(long size) throws SystemCallException {
        FileAccess.check("ftruncate", access.calls().ftruncate(descriptor, size));
    }

    @Override
    public void sync() throws SystemCallException {
        FileAccess.check("fsync", access.calls().fsync(descriptor));
    }

    /** {@inheritDoc} Possible between two files of the operating system, by copy_file_range(2). */
    @Override
    public long copyFrom(SourceFile source, long offset, long length) {
        if (!(source instanceof PosixFile other)) {
            return CANNOT;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocateFrom(ValueLayout.JAVA_LONG, offset);
            MemorySegment to = arena.allocateFrom(ValueLayout.JAVA_LONG, offset);
            long n = access.calls().copyFileRange(other.descriptor, from, descriptor, to, length);
            return n >= 0 ? n : Errno.isUnsupported((int) -n) ? CANNOT : 0;
        }
    }

    /** {@inheritDoc} Possible between two files of the operating system, by FICLONE of ioctl(2). */
    @Override
    public void cloneFrom(SourceFile source) throws SystemCallException {
        if (!(source instanceof PosixFile other)) {
            throw new SystemCallException("ficlone", Errno.EXDEV);
        }
        FileAccess.check("ficlone", access.calls().ficlone(descriptor, other.descriptor));
    }
}
