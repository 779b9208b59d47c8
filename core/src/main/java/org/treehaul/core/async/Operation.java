// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.backend.Backend;
import org.treehaul.core.async.backend.IoThread;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;

/** An operation of the user: one request after another, until there is an outcome. */
abstract class Operation<T> implements Request.Answered {

    // As many as for synchronous calls: signals are rare, so a lasting error is a fault of the file system.
    private static final int TRIES = 100;

    private final Backend backend;
    private final Admission admission;
    private final ByteString path;
    private final String name;
    private final IoCallback<T> callback;
    private @Nullable Request request;
    private @Nullable Exception cause;
    private volatile boolean isEnded;
    private int tries;

    /**
     * Creates the operation.
     *
     * @param name of the operation, for errors
     */
    Operation(Channel channel, ByteString path, String name, IoCallback<T> callback) {
        this.backend = channel.backend();
        this.admission = channel.admission();
        this.path = path;
        this.name = name;
        this.callback = callback;
    }

    /** The backend that carries out the operations of a file, and the bound on their number. */
    record Channel(Backend backend, Admission admission) {}

    /** Begins the operation once there is room for it. */
    final void admit() {
        if (admission.enter()) {
            runOrFail(this::begin);
        } else {
            report(null, new AsyncFileException(path, name, Errno.EAGAIN, 0));
        }
    }

    /** Runs a step of this operation, which fails if the step throws: its room and its turn must be given back. */
    final void runOrFail(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            if (isEnded) {
                throw e;
            }
            Exception wrapped = e instanceof Exception exception ? exception : new IllegalStateException(e);
            try {
                release();
            } catch (RuntimeException | Error again) {
                wrapped.addSuppressed(again);
            }
            end(null, new AsyncFileException(path, name, e instanceof OutOfMemoryError ? Errno.ENOMEM : Errno.EIO, 0,
                    wrapped));
        }
    }

    /** Sends the first request. */
    abstract void begin();

    /** Takes the answer to the last request; sends another, or calls {@link #succeed} or {@link #fail}. */
    abstract void next(long result);

    /** Gives back what an operation has made before one of its steps threw. */
    void release() {}

    /** Is called after the callback of an operation that was begun. */
    void ended() {}

    /** Sends a request; {@link #next} gets its answer. */
    final void send(Request next) {
        request = next;
        cause = null;
        backend.submit(next);
    }

    /** Closes a descriptor for which the operation has no use; the answer does not matter. */
    final void close(int descriptor) {
        backend.submit(Request.of(Request.Kind.CLOSE, descriptor, result -> {}));
    }

    // Requests that an interruption ended are repeated, except close: Linux has closed the descriptor.
    @Override
    public final void answered(long result) {
        if (isEnded) {
            return; // it failed after the backend had taken the request
        }
        runOrFail(() -> {
            Request last = request;
            if ((result == -Errno.EINTR || result == -Errno.EAGAIN) && last != null && last.kind() != Request.Kind.CLOSE
                    && ++tries < TRIES) {
                backend.submit(last);
            } else {
                next(result);
            }
        });
    }

    @Override
    public final void failed(int errno, Exception reason) {
        cause = reason;
        answered(-errno);
    }

    final void succeed(@Nullable T value) {
        end(value, null);
    }

    final void fail(long result, long bytes) {
        Exception reason = cause;
        int errno = (int) -result;
        end(null,
                reason == null
                        ? new AsyncFileException(path, name, errno, bytes)
                        : new AsyncFileException(path, name, errno, bytes, reason));
    }

    private void end(@Nullable T value, @Nullable AsyncFileException failure) {
        isEnded = true;
        request = null;
        admission.leave();
        // First, so that a file is closed after all callbacks of its operations.
        report(value, failure);
        ended();
    }

    private void report(@Nullable T value, @Nullable AsyncFileException failure) {
        IoThread.runSafely(() -> callback.done(value, failure));
    }
}
