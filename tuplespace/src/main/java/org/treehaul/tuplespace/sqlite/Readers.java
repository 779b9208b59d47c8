// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;

import org.treehaul.tuplespace.store.SpaceException;

/** Connections that only read, which the write-ahead log lets do so beside the writer. */
final class Readers implements AutoCloseable {
    /** More than that many threads at once open their own each time. */
    private static final int IDLE = 8;

    private final Path file;
    private final boolean isToRead;
    private final Deque<Link> idle = new ArrayDeque<>();
    private boolean isClosed;

    Readers(Path file, boolean isToRead) {
        this.file = file;
        this.isToRead = isToRead;
    }

    Link borrow() {
        synchronized (this) {
            if (isClosed) {
                throw new SpaceException(SpaceException.Reason.CLOSED, "the space is closed");
            }
            Link link = idle.poll();
            if (link != null) {
                return link;
            }
        }
        return isToRead ? SpaceFile.connectToRead(file) : SpaceFile.connect(file);
    }

    void giveBack(Link link) throws SQLException {
        synchronized (this) {
            if (!isClosed && idle.size() < IDLE) {
                idle.push(link);
                return;
            }
        }
        link.close();
    }

    @FunctionalInterface
    interface Reading<R> {
        R read(Link link) throws SQLException;
    }

    <R> R read(Reading<R> reading) {
        Link link = borrow();
        try {
            R result = reading.read(link);
            link.checkUnchanged();
            giveBack(link);
            return result;
        } catch (SQLException | RuntimeException e) {
            discard(link, e);
            link.checkUnchanged();
            throw e instanceof SQLException sql ? Errors.of(file, sql) : (RuntimeException) e;
        }
    }

    /** What failed may have left something open on it. */
    static void discard(Link link, Exception reason) {
        try {
            link.close();
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    @Override
    public void close() throws SQLException {
        synchronized (this) {
            isClosed = true;
        }
        for (Link link = idle.poll(); link != null; link = idle.poll()) {
            link.close();
        }
    }
}
