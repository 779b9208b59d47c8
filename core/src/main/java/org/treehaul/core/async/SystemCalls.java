// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import org.treehaul.core.async.backend.Request;
import org.treehaul.core.async.backend.ThreadBackend;
import org.treehaul.core.fs.FileSystemCalls;

/** Carries out each request by one system call. */
record SystemCalls(FileSystemCalls calls) implements ThreadBackend.Calls {

    @Override
    public long call(Request request) {
        return switch (request.kind()) {
            case NONE -> 0;
            case OPEN -> calls.openat(request.descriptor(), request.memory(), request.flags(), request.mode());
            case CLOSE -> calls.close(request.descriptor());
            case READ -> calls.pread(request.descriptor(), request.memory(), request.offset());
            case WRITE -> calls.pwrite(request.descriptor(), request.memory(), request.offset());
            case REMOVE -> calls.unlinkat(request.descriptor(), request.memory(), 0);
            case STATUS ->
                calls.statx(request.descriptor(), request.memory(), request.mode(), request.flags(), request.status());
            case SYNC -> calls.fdatasync(request.descriptor());
        };
    }
}
