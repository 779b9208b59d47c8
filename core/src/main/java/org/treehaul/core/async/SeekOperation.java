// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.async.backend.Request;
import org.treehaul.core.fs.Errno;

/** Sets the position of a file. Asks the kernel only for the size. */
final class SeekOperation extends FileOperation<Long> {

    private static final int STATX_SIZE_MASK = 0x200; // linux/stat.h
    private static final int SIZE = 40; // stx_size

    private final long offset;
    private final SeekFrom from;
    private MemorySegment status = MemorySegment.NULL;

    SeekOperation(LocalFile file, long offset, SeekFrom from, IoCallback<Long> callback) {
        super(file, "seek", true, callback);
        this.offset = offset;
        this.from = from;
    }

    // Without a request, a callback that seeks again would run within the one before.
    @Override
    void start() {
        if (from == SeekFrom.END) {
            Request request = Request.status(file().descriptors().buffered(), STATX_SIZE_MASK, this);
            status = request.status();
            send(request);
        } else {
            send(Request.of(Request.Kind.NONE, 0, this));
        }
    }

    @Override
    void next(long result) {
        if (result < 0) {
            fail(result, 0);
            return;
        }
        to(switch (from) {
            case START -> 0;
            case CURRENT -> file().position();
            case END -> status.get(JAVA_LONG, SIZE);
        });
    }

    private void to(long base) {
        long position = base + offset;
        boolean isTooLarge = offset > 0 && position < 0;
        if (position < 0) {
            fail(isTooLarge ? -Errno.EOVERFLOW : -Errno.EINVAL, 0);
        } else {
            file().setPosition(position);
            succeed(position);
        }
    }
}
