// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32C;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;

/**
 * A small text file: lines of a key, a tab and a value, the last one a checksum of those before it. A value is
 * printable: what might not be is escaped as {@link ByteString} does.
 *
 * @param values in the order of the lines
 */
record KeyFile(Map<String, String> values) {

    private static final String CHECKSUM = "crc32c";

    // Larger ones are not ours, and somebody else's should not fill the memory.
    private static final int MOST_BYTES = 1 << 20;

    KeyFile {
        values = new LinkedHashMap<>(values);
        values.forEach((key, value) -> {
            if (key.isEmpty() || key.indexOf('\t') >= 0 || key.indexOf('\n') >= 0 || value.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("no line of a file: '" + key + "' = '" + value + "'");
            }
        });
    }

    /** Returns a file of nothing yet. */
    static KeyFile empty() {
        return new KeyFile(Map.of());
    }

    /** Returns this with another line. */
    KeyFile with(String key, Object value) {
        Map<String, String> more = new LinkedHashMap<>(values);
        more.put(key, String.valueOf(value));
        return new KeyFile(more);
    }

    /** Returns this with another line, whose value is not known to be printable. */
    KeyFile withEscaped(String key, String value) {
        return with(key, ByteString.of(value).toString());
    }

    /**
     * Reads a file.
     *
     * @throws NoSuchFileException when there is none
     * @throws TransferException when it is damaged
     */
    static KeyFile read(Path file) throws IOException {
        byte[] bytes;
        // Its size is not asked for before: that of an older file may be in a cache, and opening it asks the server.
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MOST_BYTES + 1);
        }
        if (bytes.length > MOST_BYTES) {
            throw new TransferException(file + " is damaged: more than " + MOST_BYTES + " bytes are too many");
        }
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int last = text.lastIndexOf('\n', text.length() - 2) + 1;
        if (!text.substring(last).equals(checksumLine(text.substring(0, last)))) {
            throw new TransferException(file + " is damaged: its checksum is wrong");
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (String line : utf8(text.substring(0, last)).split("\n", -1)) {
            int tab = line.indexOf('\t');
            if (tab > 0) {
                values.put(line.substring(0, tab), line.substring(tab + 1));
            }
        }
        return new KeyFile(values);
    }

    private static String utf8(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /** Reads a file that may be missing or damaged, which is the same to the caller. */
    static Optional<KeyFile> find(Path file) throws IOException {
        try {
            return Optional.of(read(file));
        } catch (NoSuchFileException | TransferException e) {
            return Optional.empty();
        }
    }

    private static String checksumLine(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
        return CHECKSUM + "\t" + String.format("%08x", crc.getValue()) + "\n";
    }

    private byte[] bytes() {
        StringBuilder text = new StringBuilder();
        values.forEach((key, value) -> text.append(key).append('\t').append(value).append('\n'));
        String bytes = new String(text.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return (bytes + checksumLine(bytes)).getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * Writes a file that must not be there yet. It is there in whole or not at all; only on a file system without hard
     * links a part of it may be left when this fails.
     *
     * @throws FileAlreadyExistsException when it is there
     */
    void writeNew(Path file) throws IOException {
        Path temporary = temporary(file);
        try {
            write(temporary, true);
            if (!tryLink(temporary, file)) {
                write(file, true);
            }
        } finally {
            removeQuietly(temporary);
        }
    }

    /**
     * Gives a temporary its name as well.
     *
     * @return false where there are no hard links
     * @throws FileAlreadyExistsException when something else has that name
     */
    static boolean tryLink(Path temporary, Path file) throws FileAlreadyExistsException, IOException {
        try {
            Files.createLink(file, temporary);
            return true;
        } catch (FileAlreadyExistsException e) {
            // Over NFS it may be ours: a lost answer is asked for again.
            if (!Files.isSameFile(temporary, file)) {
                throw e;
            }
            return true;
        } catch (UnsupportedOperationException e) {
            return false;
        } catch (FileSystemException e) {
            return Files.exists(file) && Files.isSameFile(temporary, file);
        }
    }

    /** Removes a temporary: should that fail, whoever reads the directory passes it by. */
    static void removeQuietly(Path temporary) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            // As said.
        }
    }

    /** Returns whether a name is one that is only written to, or was put aside. */
    static boolean isHidden(Path file) {
        return file.getFileName().toString().startsWith(".");
    }

    /**
     * Returns a name beside a file that is hidden and, by chance, nobody else's: hosts may have equal names and pids.
     */
    static Path temporary(Path file) {
        return file.resolveSibling("." + file.getFileName() + "."
                + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), Character.MAX_RADIX));
    }

    /** Writes a file, or replaces it at once: whoever reads it meanwhile sees the old one or the new one. */
    void replace(Path file, boolean isSynced) throws IOException {
        Path temporary = temporary(file);
        try {
            write(temporary, isSynced);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(temporary);
            throw e;
        }
    }

    private void write(Path file, boolean isSynced) throws IOException {
        try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(bytes());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            if (isSynced) {
                channel.force(true);
            }
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException("write " + file + ": " + e.getMessage(), e);
        }
    }

    /** Returns a value, or the empty text. */
    String text(String key) {
        return values.getOrDefault(key, "");
    }

    /** Returns a value that is a number, or 0. */
    long number(String key) {
        try {
            return Long.parseLong(text(key));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
