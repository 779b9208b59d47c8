// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * The identity of a space's directory, independent of the path to it. While this process has the space open, it must
 * not open the files there: closing any descriptor of a file drops all locks that the process holds on it.
 */
record SpacePlace(long device, long inode) {

    /** Returns those of the directories of a space; none of a server, or of a store that does not exist. */
    static Set<SpacePlace> of(SpaceUri space) {
        List<SpaceUri> stores = space.scheme().equals(SpaceUri.PARTITIONS) ? Partitions.stores(space) : List.of(space);
        Set<SpacePlace> places = new HashSet<>();
        for (SpaceUri store : stores) {
            if (store.scheme().equals(SpaceUri.SQLITE)) {
                try {
                    places.add(of(store.path()));
                } catch (NoSuchFileException e) {
                    // The store of a later partition does not exist yet.
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        return places;
    }

    static SpacePlace of(Path directory) throws IOException {
        Map<String, Object> status = Files.readAttributes(directory, "unix:dev,ino");
        return new SpacePlace(number(status, "dev"), number(status, "ino"));
    }

    private static long number(Map<String, Object> status, String name) {
        return (Long) Objects.requireNonNull(status.get(name), name);
    }

    boolean is(FileStatus status) {
        return status.inode() == inode && status.device() == device;
    }
}
