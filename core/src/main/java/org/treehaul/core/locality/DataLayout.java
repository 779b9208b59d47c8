// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Where the data of one file are, as its file system says. Immutable.
 *
 * <p>
 * Extents may overlap: each is then a mirror of the same data. A range without extent has no data yet, or its place is
 * unknown.
 *
 * @param kind the kind of file system: {@code glusterfs}, {@code lustre}, {@code cephfs}, {@code moosefs}, or that of
 *        another {@link LocalityProvider}
 * @param extents the extents in the order in which the file system names them; empty if no data have a place yet
 * @param isReleased whether the data are only in an archive, from which the file system fetches them when they are read
 */
public record DataLayout(String kind, List<DataExtent> extents, boolean isReleased) {

    public DataLayout {
        Objects.requireNonNull(kind);
        extents = List.copyOf(extents);
    }

    /** Creates the layout of a file with one extent. */
    public static DataLayout of(String kind, DataExtent extent) {
        return new DataLayout(kind, List.of(extent), false);
    }

    /** Returns all servers, each once, in the order of the extents and stripes. */
    public List<String> servers() {
        return servers(0, Long.MAX_VALUE);
    }

    /**
     * Returns the servers that have data of a range of the file, each once.
     *
     * @param offset first byte of the range, at least 0
     * @param length length of the range in bytes, at least 0; a range may end behind the end of the file
     */
    public List<String> servers(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, Long.MAX_VALUE);
        Set<String> servers = new LinkedHashSet<>();
        extents.forEach(extent -> extent.addServers(offset, offset + length, servers));
        return List.copyOf(servers);
    }

    /**
     * Returns the server that has the byte at an offset: the first one, if several have it. Empty if the file system
     * does not say.
     */
    public Optional<String> serverOf(long offset) {
        return extents.stream()
                .flatMap(extent -> extent.holdersOf(offset).stream())
                .map(holders -> holders.places().getFirst().server())
                .findFirst();
    }
}
