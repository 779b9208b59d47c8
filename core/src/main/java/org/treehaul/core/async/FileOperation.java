// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import org.treehaul.core.fs.Errno;

/** An operation on an open file. */
abstract class FileOperation<T> extends Operation<T> {

    private final LocalFile file;
    private final boolean usesPosition;
    private boolean isEntered;

    FileOperation(LocalFile file, String name, boolean usesPosition, IoCallback<T> callback) {
        super(file.channel(), file.path(), name, callback);
        this.file = file;
        this.usesPosition = usesPosition;
    }

    final LocalFile file() {
        return file;
    }

    @Override
    final void begin() {
        if (!file.enter(this, usesPosition)) {
            fail(-Errno.EBADF, 0);
        }
    }

    /** Notes that the file counts this operation. */
    final void entered() {
        isEntered = true;
    }

    /** Sends the first request, when it is the turn of this operation. */
    abstract void start();

    @Override
    final void ended() {
        if (isEntered) {
            file.leave(usesPosition);
        }
    }
}
