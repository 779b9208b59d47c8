// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * The file that lists the stores of a space, in the order of the partitions. Each line is an address, as a user would
 * give it, {@code first=NUMBER} or {@code key=CLASS.COMPONENT}; lines that are empty or begin with {@code #} do not
 * count. A relative directory is below that of the file.
 *
 * @param stores the addresses
 * @param options options for a new space: all partitions are active unless the file says otherwise
 */
record PartitionFile(List<SpaceUri> stores, PartitionOptions options) {
    private static final String FIRST = "first=";
    private static final String KEY = "key=";

    /** Reads the file; throws ABSENT when there is none. */
    static PartitionFile read(Path file) {
        try {
            return parse(file, Files.readAllLines(file));
        } catch (NoSuchFileException e) {
            throw new SpaceException(Reason.ABSENT, "there is no list of partitions " + file, e);
        } catch (IOException e) {
            throw new SpaceException(Reason.IO, "the list of partitions " + file + " could not be read: " + e, e);
        }
    }

    private static PartitionFile parse(Path file, List<String> lines) {
        List<SpaceUri> stores = new ArrayList<>();
        PartitionOptions options = PartitionOptions.ofFirst(PartitionMap.MOST);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            try {
                if (line.startsWith(FIRST)) {
                    options = new PartitionOptions(Integer.parseInt(line.substring(FIRST.length())), options.keys());
                } else if (line.startsWith(KEY)) {
                    int dot = line.lastIndexOf('.');
                    options = options.key(
                            RecordClasses.find(line.substring(KEY.length(), Math.max(dot, KEY.length()))).recordClass(),
                            line.substring(dot + 1));
                } else if (!line.isEmpty() && !line.startsWith("#")) {
                    stores.add(address(file, line));
                }
            } catch (IllegalArgumentException e) {
                throw wrong(file, "line " + (i + 1) + ": " + e.getMessage());
            }
        }
        if (stores.isEmpty() || stores.size() > PartitionMap.MOST) {
            throw wrong(file, stores.size() + " stores; a space has from 1 to " + PartitionMap.MOST);
        }
        if (new HashSet<>(stores).size() < stores.size()) {
            throw wrong(file, "a store occurs twice");
        }
        return new PartitionFile(List.copyOf(stores),
                options.first() == PartitionMap.MOST ? new PartitionOptions(stores.size(), options.keys()) : options);
    }

    private static SpaceException wrong(Path file, String problem) {
        return new SpaceException(Reason.PROVIDER, "the list of partitions " + file + ", " + problem);
    }

    private static SpaceUri address(Path file, String line) {
        if (SpaceUri.hasScheme(line)) {
            return SpaceUri.parse(line);
        }
        return SpaceUri.of(file.toAbsolutePath().resolveSibling(line));
    }
}
