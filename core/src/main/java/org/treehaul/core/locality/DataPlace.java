// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.util.Objects;

import org.treehaul.core.entry.ByteString;

/**
 * One place where data of a file are stored. Immutable.
 *
 * @param server the server: its host name, or the target's name where the file system knows no host, such as {@code
 *        OST0003}; 1 to 255 letters, digits, dots, hyphens, underscores and colons
 * @param path the path of the data on the server; empty if unknown
 */
public record DataPlace(String server, ByteString path) {

    private static final int LONGEST = 255;

    /**
     * Creates a place.
     *
     * @throws IllegalArgumentException if the name of the server contains other characters, or too many
     */
    public DataPlace {
        Objects.requireNonNull(path);
        if (!isServer(server)) {
            throw new IllegalArgumentException("no name of a server: " + ByteString.printable(server));
        }
    }

    /** Creates a place on a server whose path is unknown. */
    public static DataPlace on(String server) {
        return new DataPlace(server, ByteString.empty());
    }

    /** Returns whether a text can be the name of a server. */
    static boolean isServer(String text) {
        return !text.isEmpty() && text.length() <= LONGEST && text.chars().allMatch(DataPlace::isAllowed);
    }

    private static boolean isAllowed(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_'
                || c == ':';
    }
}
