// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.bench;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.function.BooleanSupplier;

import org.treehaul.core.async.AsyncFileException;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;

/** The files of a measurement in a directory. */
final class LocalBenchmarkFiles implements BenchmarkFiles {

    private final FileSystemCalls calls;
    private final BenchmarkDirectory directory;
    private final IoParameters parameters;

    LocalBenchmarkFiles(FileSystemCalls calls, BenchmarkDirectory directory, IoParameters parameters) {
        this.calls = calls;
        this.directory = directory;
        this.parameters = parameters;
    }

    @Override
    public ByteString path(int thread, int file) {
        return directory.path(thread + "." + file);
    }

    private interface Work {
        void run(FileAccess access, int file) throws SystemCallException;
    }

    @Override
    public void writeAll(BooleanSupplier isCancelled) throws IOException {
        byte[] random = new byte[parameters.blockBytes()];
        new Random(1).nextBytes(random);
        MemorySegment block = IoBuffer.of(random).segment();
        each(LinuxConstants.O_WRONLY | LinuxConstants.O_CREAT | LinuxConstants.O_TRUNC, isCancelled, (access, file) -> {
            for (int i = 0; i < parameters.blocks() && !isCancelled.getAsBoolean(); i++) {
                access.writeFully(file, block, i * (long) parameters.blockBytes());
            }
            FileAccess.check("sync", calls.fdatasync(file));
        });
    }

    @Override
    public void forget(BooleanSupplier isCancelled) throws IOException {
        if (!parameters.writes() && parameters.isCold()) {
            each(LinuxConstants.O_RDONLY, isCancelled,
                    (access, file) -> calls.posixFadvise(file, 0, 0, LinuxConstants.POSIX_FADV_DONTNEED));
        }
    }

    private void each(int flags, BooleanSupplier isCancelled, Work work) throws IOException {
        try (FileAccess access = FileAccess.open(calls)) {
            for (int thread = 0; thread < parameters.clients() * parameters.threads(); thread++) {
                for (int i = 0; i < parameters.files() && !isCancelled.getAsBoolean(); i++) {
                    ByteString path = path(thread, i);
                    try {
                        int file = access.open(AT_FDCWD, access.name(path.toBytes()), flags, 0600);
                        try {
                            work.run(access, file);
                        } finally {
                            access.closeQuietly(file);
                        }
                    } catch (SystemCallException e) {
                        throw new AsyncFileException(path, e.operation(), e.errno(), 0);
                    }
                }
            }
        }
    }
}
