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
 * give it, {@code first=NUMBER}, {@code limit=TUPLES} or {@code key=CLASS.COMPONENT}; lines that are empty or begin
 * with {@code #} do not count. A relative directory is below that of the file.
 *
 * @param stores the addresses
 * @param options options for a new space: all partitions are active unless the file says otherwise
 */
record PartitionFile(List<SpaceUri> stores, PartitionOptions options) {
    private static final String FIRST = "first=";
    private static final String KEY = "key=";
    private static final String LIMIT = "limit=";

    /** Reads the file; throws ABSENT when there is none, and VERSION if it names a record class that is absent here. */
    static PartitionFile read(Path file) {
        return read(file, true);
    }

    /** Reads the file for a program that knows none of the record classes. */
    static PartitionFile readWithoutClasses(Path file) {
        return read(file, false);
    }

    private static PartitionFile read(Path file, boolean hasClasses) {
        try {
            return parse(file, Files.readAllLines(file), hasClasses);
        } catch (NoSuchFileException e) {
            throw new SpaceException(Reason.ABSENT, "there is no list of partitions " + file, e);
        } catch (IOException e) {
            throw new SpaceException(Reason.IO, "the list of partitions " + file + " could not be read: " + e, e);
        }
    }

    private static PartitionFile parse(Path file, List<String> lines, boolean hasClasses) {
        List<SpaceUri> stores = new ArrayList<>();
        PartitionOptions options = PartitionOptions.ofFirst(PartitionMap.MOST);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            try {
                if (line.startsWith(FIRST)) {
                    options = options.first(Integer.parseInt(line.substring(FIRST.length())));
                } else if (line.startsWith(LIMIT)) {
                    options = options.limit(Long.parseLong(line.substring(LIMIT.length())));
                } else if (line.startsWith(KEY)) {
                    options = hasClasses ? withKey(options, line.substring(KEY.length())) : options;
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
                options.first() == PartitionMap.MOST ? options.first(stores.size()) : options);
    }

    private static PartitionOptions withKey(PartitionOptions options, String key) {
        int dot = Math.max(key.lastIndexOf('.'), 0);
        return options.key(RecordClasses.find(key.substring(0, dot)).recordClass(), key.substring(dot + 1));
    }

    private static SpaceException wrong(Path file, String problem) {
        return new SpaceException(Reason.PROVIDER, "the list of partitions " + file + ", " + problem);
    }

    private static SpaceUri address(Path file, String line) {
        if (SpaceUri.hasScheme(line)) {
            return checked(SpaceUri.parse(line));
        }
        return SpaceUri.of(file.toAbsolutePath().resolveSibling(line));
    }

    /** Refuses a store that cannot have a partition, and one whose address would show a password in messages. */
    static SpaceUri checked(SpaceUri store) {
        if (store.scheme().equals(SpaceUri.PARTITIONS)) {
            throw new IllegalArgumentException("a space over several stores cannot be a store of another");
        }
        if (!store.scheme().equals(SpaceUri.SQLITE) && !store.withoutPassword().equals(store.toString())) {
            throw new IllegalArgumentException("the address of a store contains a password: let each user keep it in"
                    + " ~/.pgpass or another place that PostgreSQL reads");
        }
        return store;
    }
}
