// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The data directory of a new PostgreSQL server. All processes that run tests of a module share it, because a copy
 * takes a tenth of the processor time of {@code initdb}.
 */
final class PostgresTemplate {

    /** Makes a data directory. */
    @FunctionalInterface
    interface Initdb {
        void make(Path data) throws IOException;
    }

    private PostgresTemplate() {}

    /**
     * Makes the data directory of a server that has never run; the first one becomes the template of the others.
     *
     * @param programs the directory of the programs of the server
     */
    static synchronized void make(Path data, Path programs, Initdb initdb) throws IOException {
        // The build sets the directory of the module; an IDE runs the tests in it.
        Path target = Files.createDirectories(Path.of(System.getProperty("basedir", ""), "target").toAbsolutePath());
        Path template = target.resolve("postgres-template");
        Path known = target.resolve("postgres-template.programs");
        String made = programs + " " + Files.getLastModifiedTime(programs.resolve("postgres")) + "\n";
        // Closing the file releases the lock.
        try (FileChannel lock = FileChannel.open(target.resolve("postgres-template.lock"), StandardOpenOption.CREATE,
                StandardOpenOption.WRITE)) {
            lock.lock();
            if (Files.exists(known) && Files.readString(known).equals(made)) {
                copy(template, data);
                return;
            }
            initdb.make(data);
            Files.deleteIfExists(known);
            run("rm", "-rf", template.toString());
            copy(data, template);
            Files.writeString(known, made);
        }
    }

    // The files keep their owner, who runs the server.
    private static void copy(Path from, Path to) throws IOException {
        run("cp", "-a", from.toString(), to.toString());
    }

    private static void run(String... command) throws IOException {
        try {
            if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
                throw new IOException(String.join(" ", command) + " failed");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
