// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.UUID;
import java.util.regex.Pattern;

import org.treehaul.core.entry.ByteString;

/**
 * A server of a stage: a directory that clients reach themselves, or a process that serves one. A tuple of the
 * catalogue. Immutable.
 *
 * @param stage the name of the stage
 * @param name the name of the server within the stage: 1 to 64 letters, digits, dots, hyphens and underscores
 * @param host the host that has the directory
 * @param id the id that the directory contains, so that another directory is not taken for it
 * @param directory the absolute path of the directory on the host; clients there need no connection
 * @param address {@code HOST:PORT} of the process that serves the directory; empty if clients reach it themselves
 * @param state whether it takes new segments
 */
public record StageServer(String stage, String name, String host, UUID id, ByteString directory, String address,
        State state) {

    /** Whether a server takes new segments. */
    public enum State {
        /** It does. */
        ACTIVE,
        /** Its segments are moved to others; it takes none. */
        DRAINING,
        /** All segments were moved to others; it takes none. */
        DRAINED,
        /** It is gone with its segments. */
        LOST
    }

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the name has another form, or the path is not absolute
     */
    public StageServer {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("no name of a server: " + ByteString.printable(name));
        }
        if (directory.length() == 0 || directory.at(0) != '/') {
            throw new IllegalArgumentException("no absolute path of a directory: " + directory);
        }
    }

    /** Creates a server that takes segments. */
    public StageServer(String stage, String name, String host, UUID id, ByteString directory, String address) {
        this(stage, name, host, id, directory, address, State.ACTIVE);
    }

    /** Returns the same server under another name. */
    StageServer named(String other) {
        return new StageServer(stage, other, host, id, directory, address, state);
    }

    /** Returns the same server in another state. */
    public StageServer in(State other) {
        return new StageServer(stage, name, host, id, directory, address, other);
    }

    /** Returns the name with the place, for messages. */
    public String display() {
        return name + " ("
                + (address.isEmpty() ? ByteString.printable(host) + ":" + directory : ByteString.printable(address))
                + ")";
    }
}
