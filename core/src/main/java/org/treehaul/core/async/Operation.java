// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;

/** An operation of the user: one request after another, until there is an outcome. */
abstract class Operation<T> {

    // As many as for synchronous calls: signals are rare, so a lasting error is a fault of the file system.
    private static final int TRIES = 100;

    private final Backend backend;
    private final Admission admission;
    private final ByteString path;
    private final String name;
    private final IoCallback<T> callback;
    private @Nullable Request request;
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
            begin();
        } else {
            report(null, new AsyncFileException(path, name, Errno.EAGAIN, 0));
        }
    }

    /** Sends the first request. */
    abstract void begin();

    /** Takes the answer to the last request; sends another, or calls {@link #succeed} or {@link #fail}. */
    abstract void answered(long result);

    /** Is called after the callback of an operation that was begun. */
    void ended() {}

    /** Sends a request, with {@link #taken} for its answer. */
    final void send(Request next) {
        request = next;
        backend.submit(next);
    }

    // Requests that an interruption ended are repeated, except close: Linux has closed the descriptor.
    final void taken(long result) {
        Request last = request;
        if ((result == -Errno.EINTR || result == -Errno.EAGAIN) && last != null && last.kind() != Request.Kind.CLOSE
                && ++tries < TRIES) {
            backend.submit(last);
        } else {
            answered(result);
        }
    }

    final void succeed(@Nullable T value) {
        end(value, null);
    }

    final void fail(long result, long bytes) {
        end(null, new AsyncFileException(path, name, (int) -result, bytes));
    }

    private void end(@Nullable T value, @Nullable AsyncFileException failure) {
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
