// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.stage;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * Files that each way copies.
 *
 * @param files their number
 * @param bytes the bytes of each
 */
record Load(int files, long bytes) {

    private static final int LARGE_FILES = 8;
    private static final int SMALL_BYTES = 4096;
    private static final int FILES_OF_DIRECTORY = 100;
    private static final int PORTION = 1 << 20;
    private static final double GIBIBYTE = 1 << 30;

    /** Returns large files that have this many MiB together. */
    static Load large(int megabytes) {
        return new Load(LARGE_FILES, (long) megabytes * PORTION / LARGE_FILES);
    }

    /** Returns this many files of 4 KiB. */
    static Load small(int files) {
        return new Load(files, SMALL_BYTES);
    }

    /** Returns whether its files take longer to copy because of their number. */
    boolean isSmall() {
        return bytes == SMALL_BYTES;
    }

    /** Returns the bytes of all files together, in GiB. */
    double gibibytes() {
        return files * bytes / GIBIBYTE;
    }

    @Override
    public String toString() {
        return isSmall() ? files + " files of 4 KiB" : files * bytes / PORTION + " MiB in " + files + " files";
    }

    /** Makes the files, with data that no program can shorten. */
    void make(Path directory) throws IOException {
        Files.createDirectory(directory);
        Random random = new Random(1);
        byte[] portion = new byte[(int) Math.min(PORTION, bytes)];
        for (int i = 0; i < files; i++) {
            Path parent = isSmall() ? directory.resolve("d" + i / FILES_OF_DIRECTORY) : directory;
            Files.createDirectories(parent);
            try (OutputStream out = Files.newOutputStream(parent.resolve("f" + i))) {
                for (long done = 0; done < bytes; done += portion.length) {
                    random.nextBytes(portion);
                    out.write(portion);
                }
            }
        }
    }
}
