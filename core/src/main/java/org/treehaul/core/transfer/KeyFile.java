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
import org.treehaul.core.fs.linux.ServerView;

/**
 * A small text file: lines of a key, a tab and a value; the last line is a checksum of those before it. Values are
 * printable: others are escaped as {@link ByteString} does it.
 *
 * @param values the values by key, in the order of the lines
 */
record KeyFile(Map<String, String> values) {

    private static final String CHECKSUM = "crc32c";

    // Larger files are not ours; a foreign file must not exhaust the memory.
    private static final int MOST_BYTES = 1 << 20;

    KeyFile {
        values = new LinkedHashMap<>(values);
        values.forEach((key, value) -> {
            if (key.isEmpty() || key.indexOf('\t') >= 0 || key.indexOf('\n') >= 0 || value.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("no line of a file: '" + key + "' = '" + value + "'");
            }
        });
    }

    /** Returns a file without lines. */
    static KeyFile empty() {
        return new KeyFile(Map.of());
    }

    /** Returns a copy with another line. */
    KeyFile with(String key, Object value) {
        Map<String, String> more = new LinkedHashMap<>(values);
        more.put(key, String.valueOf(value));
        return new KeyFile(more);
    }

    /** Returns a copy with another line whose value may need escaping. */
    KeyFile withEscaped(String key, String value) {
        return with(key, ByteString.of(value).toString());
    }

    /**
     * Reads a file.
     *
     * @throws NoSuchFileException if it does not exist
     * @throws TransferException if it is damaged
     */
    static KeyFile read(Path file) throws IOException {
        byte[] bytes;
        // The size is not queried: a longer file may replace this one at any moment.
        try (InputStream in = Files.newInputStream(ServerView.fresh(file))) {
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

    /** Reads a file; empty if it is missing or damaged. */
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
     * Creates a file that must not exist yet. The file appears complete or not at all; only on a file system without
     * hard links a failure may leave a part of it.
     *
     * @throws FileAlreadyExistsException if it exists
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
     * Links a temporary file to its final name.
     *
     * @return false if the file system has no hard links
     * @throws FileAlreadyExistsException if another file has that name
     */
    static boolean tryLink(Path temporary, Path file) throws FileAlreadyExistsException, IOException {
        try {
            Files.createLink(file, temporary);
            return true;
        } catch (FileAlreadyExistsException e) {
            // Over NFS the existing link may be ours: the client repeats a request whose reply was lost.
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

    /** Removes a temporary file; if that fails, readers of the directory ignore it. */
    static void removeQuietly(Path temporary) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            // Readers ignore the file.
        }
    }

    /** Returns whether a file is temporary or was set aside. */
    static boolean isHidden(Path file) {
        return file.getFileName().toString().startsWith(".");
    }

    /** Returns a hidden name beside a file. It is random, because several hosts may have equal names and pids. */
    static Path temporary(Path file) {
        return file.resolveSibling("." + file.getFileName() + "."
                + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), Character.MAX_RADIX));
    }

    /** Writes or atomically replaces a file: concurrent readers see the old one or the new one. */
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

    /** Returns a value, or the empty string. */
    String text(String key) {
        return values.getOrDefault(key, "");
    }

    /** Returns a numeric value, or 0. */
    long number(String key) {
        try {
            return Long.parseLong(text(key));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
