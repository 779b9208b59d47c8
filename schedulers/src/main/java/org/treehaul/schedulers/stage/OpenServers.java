// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.HashMap;
import java.util.Map;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;

/** The servers that a stage has opened; each stays open as long as the stage. Thread-safe. */
final class OpenServers implements AutoCloseable {

    private final Catalogue catalogue;
    private final SegmentsOpener opener;
    private final Map<String, Segments> open = new HashMap<>();
    private boolean isClosed;

    OpenServers(Catalogue catalogue, SegmentsOpener opener) {
        this.catalogue = catalogue;
        this.opener = opener;
    }

    /**
     * Returns the segments of a server.
     *
     * @throws StageException ENODEV if the server is not one of the stage or was taken out as lost, EBADF if the stage
     *         was closed, or another error if the server cannot be reached
     */
    synchronized Segments of(String server) throws StageException {
        if (isClosed) {
            throw new StageException("stage " + catalogue.stage(), "the stage was closed", Errno.EBADF);
        }
        Segments known = open.get(server);
        if (known != null) {
            return known;
        }
        for (StageServer one : catalogue.servers()) {
            if (one.name().equals(server)) {
                if (one.state() == StageServer.State.LOST) {
                    throw new StageException(one.display(), "the server was taken out as lost", Errno.ENODEV);
                }
                Segments opened = opener.open(one);
                open.put(server, opened);
                return opened;
            }
        }
        throw new StageException("server " + ByteString.printable(server),
                "the stage " + catalogue.stage() + " has no such server", Errno.ENODEV);
    }

    /** Connects to a server, also to one that was taken out as lost, and closes the connection. */
    void connect(StageServer server) throws StageException {
        opener.open(server).close();
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        open.values().forEach(Segments::close);
        open.clear();
    }
}
