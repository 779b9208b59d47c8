// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.entry.ByteString;

/** A file of the kernel. */
final class LocalFile implements AsyncFile {

    private final Operation.Channel channel;
    private final ByteString path;
    private final Descriptors descriptors;
    private final Consumer<LocalFile> closed;

    // Guarded by this object: operations in progress; those at the position, the first of which runs; the close that
    // waits for them.
    private final Deque<FileOperation<?>> atPosition = new ArrayDeque<>();
    private int running;
    private boolean isClosed;
    private @Nullable Runnable close;

    /** Used only by the first of the operations at the position. */
    private long position;

    private volatile boolean isDirect;

    /**
     * The descriptors of a file.
     *
     * @param buffered through the page cache
     * @param direct past it; -1 if there is none
     * @param alignment the bytes of which offsets and lengths of direct ranges are multiples
     */
    record Descriptors(int buffered, int direct, int alignment) {
        static Descriptors buffered(int descriptor) {
            return new Descriptors(descriptor, -1, 1);
        }

        /** Returns those that are open. */
        List<Integer> all() {
            return direct < 0 ? List.of(buffered) : List.of(buffered, direct);
        }
    }

    /**
     * Takes over the descriptors.
     *
     * @param closed receives this file when they are closed
     */
    LocalFile(Operation.Channel channel, ByteString path, Descriptors descriptors, Consumer<LocalFile> closed) {
        this.channel = channel;
        this.path = path;
        this.descriptors = descriptors;
        this.closed = closed;
        this.isDirect = descriptors.direct >= 0;
    }

    ByteString path() {
        return path;
    }

    Operation.Channel channel() {
        return channel;
    }

    Descriptors descriptors() {
        return descriptors;
    }

    long position() {
        return position;
    }

    void setPosition(long offset) {
        position = offset;
    }

    @Override
    public boolean isDirect() {
        return isDirect;
    }

    /** Uses the page cache from now on: the file system refused direct I/O although it reports an alignment. */
    void avoidDirect() {
        isDirect = false;
    }

    @Override
    public void read(IoBuffer into, IoCallback<Integer> callback) {
        new DataOperation(this, Request.Kind.READ, into, callback).admit();
    }

    @Override
    public void pread(IoBuffer into, long offset, IoCallback<Integer> callback) {
        new DataOperation(this, Request.Kind.READ, into, offset, callback).admit();
    }

    @Override
    public void write(IoBuffer from, IoCallback<Integer> callback) {
        new DataOperation(this, Request.Kind.WRITE, from, callback).admit();
    }

    @Override
    public void pwrite(IoBuffer from, long offset, IoCallback<Integer> callback) {
        new DataOperation(this, Request.Kind.WRITE, from, offset, callback).admit();
    }

    @Override
    public void seek(long offset, SeekFrom from, IoCallback<Long> callback) {
        new SeekOperation(this, offset, from, callback).admit();
    }

    @Override
    public void sync(IoCallback<Void> callback) {
        new SyncOperation(this, callback).admit();
    }

    @Override
    public void close(IoCallback<Void> callback) {
        new CloseOperation(this, callback).admit();
    }

    /** Starts an operation now or when those before it have ended. Returns false if the file is closed. */
    boolean enter(FileOperation<?> operation, boolean usesPosition) {
        synchronized (this) {
            if (isClosed) {
                return false;
            }
            if (usesPosition) {
                atPosition.add(operation);
            }
            running++;
            operation.entered();
            if (usesPosition && atPosition.size() > 1) {
                return true;
            }
        }
        operation.runOrFail(operation::start);
        return true;
    }

    /** Notes that an operation has ended, and starts those that waited for it. */
    void leave(boolean usesPosition) {
        FileOperation<?> next = null;
        Runnable last = null;
        synchronized (this) {
            running--;
            if (usesPosition) {
                atPosition.remove();
                next = atPosition.peek();
            }
            if (running == 0) {
                last = close;
                close = null;
            }
        }
        if (next != null) {
            next.runOrFail(next::start);
        }
        if (last != null) {
            last.run();
        }
    }

    /** Admits no more operations, and runs the close after the last; returns false if the file was closed before. */
    boolean close(Runnable work) {
        synchronized (this) {
            if (isClosed) {
                return false;
            }
            isClosed = true;
            if (running > 0) {
                close = work;
                return true;
            }
        }
        work.run();
        return true;
    }

    /** Closes the descriptors one after the other. */
    private static final class CloseOperation extends Operation<Void> {

        private final LocalFile file;
        private boolean isSecond;
        private long failure;

        CloseOperation(LocalFile file, IoCallback<Void> callback) {
            super(file.channel, file.path, "close", callback);
            this.file = file;
        }

        @Override
        void begin() {
            if (!file.close(
                    () -> runOrFail(() -> send(Request.of(Request.Kind.CLOSE, file.descriptors.buffered, this))))) {
                succeed(null);
            }
        }

        @Override
        void next(long result) {
            failure = failure < 0 ? failure : result;
            if (!isSecond && file.descriptors.direct >= 0) {
                isSecond = true;
                send(Request.of(Request.Kind.CLOSE, file.descriptors.direct, this));
                return;
            }
            file.closed.accept(file);
            if (failure < 0) {
                fail(failure, 0);
            } else {
                succeed(null);
            }
        }
    }

    /** Writes data to the disk. */
    private static final class SyncOperation extends FileOperation<Void> {

        SyncOperation(LocalFile file, IoCallback<Void> callback) {
            super(file, "sync", false, callback);
        }

        @Override
        void start() {
            send(Request.of(Request.Kind.SYNC, file().descriptors().buffered(), this));
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
}
