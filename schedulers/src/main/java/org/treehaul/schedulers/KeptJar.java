// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

import org.apache.commons.io.IOUtils;

/**
 * Keeps the jar that jobs run in the state directory: nodes see it there, and jobs that wait in a queue run the program
 * that submitted them, whatever is installed meanwhile.
 */
public final class KeptJar {

    private KeptJar() {}

    /**
     * Returns the kept copy of a jar, made now unless it is there.
     *
     * @param state the state directory
     */
    public static Path keep(Path state, Path jar) throws IOException {
        Path directory = state.resolve("programs");
        Path kept = directory.resolve("treehaul-" + String.format("%08x", checksum(jar)) + ".jar");
        // A part of one never has this name.
        if (!Files.exists(kept)) {
            Files.createDirectories(directory);
            Path copy = Files.createTempFile(directory, "new", ".jar");
            try {
                Files.copy(jar, copy, StandardCopyOption.REPLACE_EXISTING);
                Files.move(copy, kept, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(copy);
            }
        }
        return kept;
    }

    private static long checksum(Path file) throws IOException {
        CRC32C checksum = new CRC32C();
        try (InputStream in = new CheckedInputStream(Files.newInputStream(file), checksum)) {
            IOUtils.consume(in);
        }
        return checksum.getValue();
    }
}
