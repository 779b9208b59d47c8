// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.bench;

import java.io.IOException;
import java.util.Random;
import java.util.function.BooleanSupplier;

import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFileException;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.async.OpenMode;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;

/** The files of a measurement that only asynchronous files reach, such as those of a stage. */
public final class StoredBenchmarkFiles implements BenchmarkFiles, AutoCloseable {

    private final AsyncFiles files;
    private final ByteString directory;
    private final IoParameters parameters;

    /**
     * Names the files.
     *
     * @param files open as long as this is
     * @param directory a directory that is used for nothing else; it need not exist
     */
    public StoredBenchmarkFiles(AsyncFiles files, ByteString directory, IoParameters parameters) {
        this.files = files;
        this.directory = directory;
        this.parameters = parameters;
    }

    @Override
    public ByteString path(int thread, int file) {
        return directory.plus(ByteString.of("/" + thread + "." + file));
    }

    @Override
    public void writeAll(BooleanSupplier isCancelled) throws IOException {
        byte[] random = new byte[parameters.blockBytes()];
        new Random(1).nextBytes(random);
        IoBuffer block = IoBuffer.of(random);
        for (int thread = 0; thread < parameters.clients() * parameters.threads(); thread++) {
            for (int i = 0; i < parameters.files() && !isCancelled.getAsBoolean(); i++) {
                AsyncFile file = files.openSync(path(thread, i), OpenMode.write().withPermissions(0600));
                for (int number = 0; number < parameters.blocks() && !isCancelled.getAsBoolean(); number++) {
                    file.writeSync(block);
                }
                file.closeSync();
            }
        }
    }

    @Override
    public void forget(BooleanSupplier isCancelled) {
        // The cache is that of the servers.
    }

    /** Removes the files. If one cannot be removed, the others are, and the first failure is thrown. */
    @Override
    public void close() throws IOException {
        AsyncFileException first = null;
        for (int thread = 0; thread < parameters.clients() * parameters.threads(); thread++) {
            for (int i = 0; i < parameters.files(); i++) {
                try {
                    files.removeSync(path(thread, i));
                } catch (AsyncFileException e) {
                    if (first == null && e.errno() != Errno.ENOENT) {
                        first = e;
                    }
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
