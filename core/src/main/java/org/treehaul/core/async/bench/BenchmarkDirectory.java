// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.bench;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;

import java.io.IOException;
import java.security.SecureRandom;

import org.treehaul.core.async.AsyncFileException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;

/** A directory of its own for a measurement, which only the user can read. It is removed with the files in it. */
public final class BenchmarkDirectory implements AutoCloseable {

    private final FileSystemCalls calls;
    private final ByteString path;
    private final IoParameters parameters;

    private BenchmarkDirectory(FileSystemCalls calls, ByteString path, IoParameters parameters) {
        this.calls = calls;
        this.path = path;
        this.parameters = parameters;
    }

    /** Creates the directory in another one, for the files of these parameters. */
    public static BenchmarkDirectory in(FileSystemCalls calls, ByteString place, IoParameters parameters)
            throws IOException {
        ByteString path = place
                .plus(ByteString.of("/treehaul-bench-" + Long.toHexString(new SecureRandom().nextLong())));
        try (FileAccess access = FileAccess.open(calls)) {
            int result = calls.mkdirat(AT_FDCWD, access.name(path.toBytes()), 0700);
            if (result < 0) {
                throw new AsyncFileException(path, "mkdir", -result, 0);
            }
        }
        return new BenchmarkDirectory(calls, path, parameters);
    }

    /** Returns the path of a file in it. */
    ByteString path(String name) {
        return path.plus(ByteString.of("/" + name));
    }

    /** Removes the files and the directory. Throws if the directory remains. */
    @Override
    public void close() throws IOException {
        try (FileAccess access = FileAccess.open(calls)) {
            for (int thread = 0; thread < parameters.clients() * parameters.threads(); thread++) {
                for (int i = 0; i < parameters.files(); i++) {
                    calls.unlinkat(AT_FDCWD, access.name(path(thread + "." + i).toBytes()), 0);
                }
            }
            int result = calls.unlinkat(AT_FDCWD, access.name(path.toBytes()), AT_REMOVEDIR);
            if (result < 0) {
                throw new AsyncFileException(path, "rmdir", -result, 0);
            }
        }
    }
}
