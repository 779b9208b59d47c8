// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.treehaul.core.plan.spool.ExternalSort;

/**
 * Limits of the memory of a query.
 *
 * @param bytes approximate bytes that each part of an answer keeps in memory; the rest is sorted in files
 * @param directories directories for these files; the first one that the user can write to is used
 */
record QueryMemory(int bytes, List<Path> directories) {

    QueryMemory {
        directories = List.copyOf(directories);
    }

    /** Returns the limits for the heap of this process, and the directories that SQLite uses as well. */
    static QueryMemory ofProcess() {
        return of(System.getenv());
    }

    static QueryMemory of(Map<String, String> environment) {
        List<Path> directories = new ArrayList<>();
        for (String name : List.of("SQLITE_TMPDIR", "TMPDIR")) {
            String value = environment.getOrDefault(name, "");
            try {
                if (!value.isEmpty()) {
                    directories.add(Path.of(value));
                }
            } catch (InvalidPathException e) {
                // The locale lacks its characters; most answers need no files anyway.
            }
        }
        directories.add(Path.of("/var/tmp"));
        directories.add(Path.of(System.getProperty("java.io.tmpdir", "/tmp")));
        return new QueryMemory(ExternalSort.defaultRunBytes(), directories);
    }

    /** Returns the directory for temporary files of this process. */
    static Path temporary() {
        return ofProcess().directory();
    }

    /** Returns the directory for temporary files. */
    Path directory() {
        return directories.stream()
                .filter(path -> Files.isDirectory(path) && Files.isWritable(path))
                .findFirst()
                .orElse(directories.getLast());
    }
}
