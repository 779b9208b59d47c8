// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.OSInfo;

/**
 * Loads the native library of the SQLite driver from its jar. The driver does so by itself, but compares the unpacked
 * library byte by byte with that in the jar and searches the temporary directory for old ones, which together take 80
 * ms of CPU, and it removes the library only when the JVM ends, so that each killed process leaves a megabyte. A loaded
 * library needs its file no more.
 */
final class NativeLibrary {

    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);
    private static final String PATH = "org.sqlite.lib.path";
    private static final String NAME = "org.sqlite.lib.name";
    private static final String TEMPORARY = "org.sqlite.tmpdir";
    private static final String FILE = "libsqlitejdbc.so";
    // Where the C library is musl, the driver chooses another library, and looks for it itself.
    private static final Path MUSL = Path.of("/lib/ld-musl-" + OSInfo.getArchName() + ".so.1");

    private static boolean isTried;

    private NativeLibrary() {}

    /**
     * Loads the library at the first call, unless the user has named one. If that fails, the driver tries it again in
     * its own way, and reports its failure.
     */
    static synchronized void load() {
        if (isTried || System.getProperty(PATH) != null) {
            return;
        }
        isTried = true;
        String resource = "/org/sqlite/native/Linux/" + OSInfo.getArchName() + "/" + FILE;
        try (InputStream library = SQLiteJDBCLoader.class.getResourceAsStream(resource)) {
            if (library != null && !Files.exists(MUSL)) {
                load(library);
            }
        } catch (Exception e) {
            LOG.debug("the library of SQLite is left to its driver", e);
        }
    }

    private static void load(InputStream library) throws Exception {
        Path directory = make(Path.of(System.getProperty(TEMPORARY, System.getProperty("java.io.tmpdir"))));
        Path file = directory.resolve(FILE);
        try {
            Files.copy(library, file);
            String name = set(NAME, FILE);
            String temporary = set(TEMPORARY, directory.toString());
            set(PATH, directory.toString());
            try {
                SQLiteJDBCLoader.initialize();
            } finally {
                set(PATH, null);
                set(TEMPORARY, temporary);
                set(NAME, name);
            }
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        }
    }

    // Not Files.createTempDirectory, whose random numbers take 8 ms of CPU at a start.
    private static Path make(Path parent) throws IOException {
        long number = System.nanoTime();
        while (true) {
            try {
                return Files.createDirectory(
                        parent.resolve("treehaul-sqlite-" + ProcessHandle.current().pid() + "-" + number),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } catch (FileAlreadyExistsException e) {
                number++;
            }
        }
    }

    private static @Nullable String set(String property, @Nullable String value) {
        return value == null ? System.clearProperty(property) : System.setProperty(property, value);
    }
}
