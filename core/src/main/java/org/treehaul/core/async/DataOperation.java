// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.async.backend.Request;
import org.treehaul.core.fs.Errno;

/**
 * Reads or writes a range. The kernel may move fewer bytes than requested; then the rest is requested. The aligned part
 * of a direct file is requested first, from the other descriptor.
 */
final class DataOperation extends FileOperation<Integer> {

    private final Request.Kind kind;
    private final MemorySegment data;
    private final boolean usesPosition;
    private long offset;
    private long done;
    private boolean isDirect;

    /** Creates an operation at the position. */
    DataOperation(LocalFile file, Request.Kind kind, IoBuffer buffer, IoCallback<Integer> callback) {
        super(file, name(kind), true, callback);
        this.kind = kind;
        this.data = buffer.segment();
        this.usesPosition = true;
    }

    /** Creates an operation at an offset. */
    DataOperation(LocalFile file, Request.Kind kind, IoBuffer buffer, long offset, IoCallback<Integer> callback) {
        super(file, name(kind), false, callback);
        this.kind = kind;
        this.data = buffer.segment();
        this.usesPosition = false;
        this.offset = offset;
    }

    private static String name(Request.Kind kind) {
        return kind == Request.Kind.READ ? "read" : "write";
    }

    @Override
    void start() {
        if (usesPosition) {
            offset = file().position();
        }
        // A ring would take -1 for the position of the descriptor.
        if (offset < 0) {
            fail(-Errno.EINVAL, 0);
            return;
        }
        sendRest();
    }

    private void sendRest() {
        LocalFile.Descriptors descriptors = file().descriptors();
        long left = data.byteSize() - done;
        long aligned = left - left % descriptors.alignment();
        isDirect = file().isDirect() && aligned > 0 && (offset + done) % descriptors.alignment() == 0
                && (data.address() + done) % IoBuffer.ALIGNMENT == 0;
        send(Request.data(kind, isDirect ? descriptors.direct() : descriptors.buffered(),
                data.asSlice(done, isDirect ? aligned : left), offset + done, this));
    }

    @Override
    void next(long result) {
        if (result == -Errno.EINVAL && isDirect) {
            file().avoidDirect();
            sendRest();
            return;
        }
        done += Math.max(0, result);
        boolean isWritten = kind == Request.Kind.WRITE;
        if (result > 0 && done < data.byteSize()) {
            sendRest();
            return;
        }
        // A write of nothing would be repeated for ever.
        long failure = result == 0 && isWritten ? -Errno.EIO : result;
        if (usesPosition && (failure >= 0 || isWritten)) {
            file().setPosition(offset + done);
        }
        if (failure < 0) {
            fail(failure, done);
        } else {
            succeed((int) done);
        }
    }
}
