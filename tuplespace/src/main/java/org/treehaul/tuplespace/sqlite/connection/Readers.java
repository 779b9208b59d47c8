// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;

import org.treehaul.tuplespace.store.SpaceException;

/** A pool of read-only connections; the write-ahead log lets them read while the writer writes. */
public final class Readers implements AutoCloseable {
    /** Limit of idle connections; threads beyond it open and close their own each time. */
    private static final int IDLE = 8;

    private final Path file;
    private final boolean isToRead;
    private final Deque<Link> idle = new ArrayDeque<>();
    private boolean isClosed;

    public Readers(Path file, boolean isToRead) {
        this.file = file;
        this.isToRead = isToRead;
    }

    public Link borrow() {
        synchronized (this) {
            if (isClosed) {
                throw new SpaceException(SpaceException.Reason.CLOSED, "the space is closed");
            }
            Link link = idle.poll();
            if (link != null) {
                return link;
            }
        }
        return isToRead ? Connections.openToRead(file) : Connections.open(file);
    }

    public void giveBack(Link link) throws SQLException {
        synchronized (this) {
            if (!isClosed && idle.size() < IDLE) {
                idle.push(link);
                return;
            }
        }
        link.close();
    }

    @FunctionalInterface
    public interface Reading<R> {
        public R read(Link link) throws SQLException;
    }

    public <R> R read(Reading<R> reading) {
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

    /** Closes a connection after a failure, which may have left a statement or transaction open. */
    public static void discard(Link link, Exception reason) {
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
