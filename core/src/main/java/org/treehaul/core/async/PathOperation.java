// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.entry.ByteString;

/** Operations on paths. */
final class PathOperation {

    private PathOperation() {}

    /** Removes a file. */
    static final class Remove extends Operation<Void> {

        private final MemorySegment name;

        Remove(Channel channel, ByteString path, IoCallback<Void> callback) {
            super(channel, path, "remove", callback);
            this.name = Request.name(path);
        }

        @Override
        void begin() {
            send(Request.remove(name, this));
        }

        @Override
        void next(long result) {
            if (result < 0) {
                fail(result, 0);
            } else {
                succeed(null);
            }
        }
    }

    /**
     * Opens a file; for direct I/O a second time, if the file system reports an alignment. The second descriptor comes
     * from the first, not from the name, which may have another file by then.
     */
    static final class Open extends Operation<AsyncFile> {

        // linux/stat.h, since Linux 6.1: the alignment of memory and of offsets.
        private static final int STATX_DIOALIGN = 0x2000;
        private static final int MEMORY_ALIGNMENT = 152;
        private static final int OFFSET_ALIGNMENT = 156;

        private enum Step {
            OPEN,
            ALIGNMENT,
            OPEN_DIRECT
        }

        private final MemorySegment name;
        private final OpenMode mode;
        private final Function<LocalFile.Descriptors, AsyncFile> files;
        private Step step = Step.OPEN;
        private int descriptor = -1;
        private int directDescriptor = -1;
        private int alignment;
        private @Nullable MemorySegment status;

        /**
         * Creates the operation.
         *
         * @param files makes the file of the descriptors
         */
        Open(Channel channel, ByteString path, OpenMode mode, Function<LocalFile.Descriptors, AsyncFile> files,
                IoCallback<AsyncFile> callback) {
            super(channel, path, "open", callback);
            this.name = Request.name(path);
            this.mode = mode;
            this.files = files;
        }

        @Override
        void begin() {
            send(Request.open(name, mode.flags(), mode.permissions(), this));
        }

        @Override
        void next(long result) {
            switch (step) {
                case OPEN -> opened(result);
                case ALIGNMENT -> aligned(result);
                case OPEN_DIRECT -> {
                    directDescriptor = (int) Math.max(-1, result);
                    succeed(files.apply(result < 0
                            ? LocalFile.Descriptors.buffered(descriptor)
                            : new LocalFile.Descriptors(descriptor, directDescriptor, alignment)));
                }
            }
        }

        @Override
        void release() {
            for (int open : new int[]{descriptor, directDescriptor}) {
                if (open >= 0) {
                    close(open);
                }
            }
        }

        private void opened(long result) {
            if (result < 0) {
                fail(result, 0);
                return;
            }
            descriptor = (int) result;
            if (!mode.isDirect()) {
                succeed(files.apply(LocalFile.Descriptors.buffered(descriptor)));
                return;
            }
            step = Step.ALIGNMENT;
            Request request = Request.status(descriptor, STATX_DIOALIGN, this);
            status = request.status();
            send(request);
        }

        private void aligned(long result) {
            MemorySegment known = status;
            boolean isKnown = result >= 0 && known != null && (known.get(JAVA_INT, 0) & STATX_DIOALIGN) != 0;
            int ofMemory = isKnown && known != null ? known.get(JAVA_INT, MEMORY_ALIGNMENT) : 0;
            int ofOffset = isKnown && known != null ? known.get(JAVA_INT, OFFSET_ALIGNMENT) : 0;
            // A page at least, so that no page of the cache has both direct and other data.
            alignment = Math.max(PageSize.BYTES, ofOffset);
            if (ofMemory < 1 || ofMemory > IoBuffer.ALIGNMENT || ofOffset < 1 || alignment % ofOffset != 0) {
                succeed(files.apply(LocalFile.Descriptors.buffered(descriptor)));
                return;
            }
            step = Step.OPEN_DIRECT;
            send(Request.open(Request.name(ByteString.of("/proc/self/fd/" + descriptor)), mode.directFlags(), 0, this));
        }
    }
}
