// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.state;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.ServerView;

/**
 * A small text file: lines of a key, a tab and a value; the last line is a checksum of those before it. Values are
 * printable; characters that are not are escaped as by {@link ByteString}.
 *
 * @param values the values by key, in the order of the lines
 */
public record StateFile(Map<String, String> values) {

    // Larger files are not ours; a foreign file must not exhaust the memory.
    private static final int MOST_BYTES = 1 << 20;

    /** Copies the values. */
    public StateFile {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        values.forEach((key, value) -> {
            if (key.isEmpty() || key.indexOf('\t') >= 0 || key.indexOf('\n') >= 0 || value.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("not a line of a file: '" + key + "' = '" + value + "'");
            }
        });
    }

    /** Returns a file without lines. */
    public static StateFile empty() {
        return new StateFile(Map.of());
    }

    /** Returns a copy with another line. */
    public StateFile with(String key, Object value) {
        Map<String, String> more = new LinkedHashMap<>(values);
        more.put(key, String.valueOf(value));
        return new StateFile(more);
    }

    /** Returns a copy with another line whose value may need escaping. */
    public StateFile withEscaped(String key, String value) {
        return with(key, ByteString.of(value).toString());
    }

    /**
     * Reads a file.
     *
     * @throws NoSuchFileException if it does not exist
     * @throws DamagedFileException if it is damaged
     */
    public static StateFile read(Path file) throws IOException {
        return read(file, MOST_BYTES);
    }

    /**
     * Reads a file that may be larger than usual.
     *
     * @param mostBytes the size above which it counts as damaged
     * @throws NoSuchFileException if it does not exist
     * @throws DamagedFileException if it is damaged
     */
    public static StateFile read(Path file, int mostBytes) throws IOException {
        byte[] bytes;
        // The size is not queried: a longer file may replace this one at any moment.
        try (InputStream in = Files.newInputStream(ServerView.fresh(file))) {
            bytes = in.readNBytes(mostBytes + 1);
        }
        if (bytes.length > mostBytes) {
            throw new DamagedFileException(file + " is damaged: it has more than " + mostBytes + " bytes");
        }
        int last = lastLine(bytes);
        byte[] checksum = Checksum.line(Checksum.of(bytes, 0, last)).getBytes(StandardCharsets.ISO_8859_1);
        if (!Arrays.equals(bytes, last, bytes.length, checksum, 0, checksum.length)) {
            throw new DamagedFileException(file + " is damaged: its checksum is wrong");
        }
        // Each line before the last one has a line feed. A status reads such a file for each of thousands of batches.
        String text = new String(bytes, 0, last, StandardCharsets.UTF_8);
        Map<String, String> values = new LinkedHashMap<>();
        int end;
        for (int from = 0; from < text.length(); from = end + 1) {
            end = text.indexOf('\n', from);
            int tab = text.indexOf('\t', from);
            if (tab > from && tab < end) {
                values.put(text.substring(from, tab), text.substring(tab + 1, end));
            }
        }
        return new StateFile(values);
    }

    private static int lastLine(byte[] bytes) {
        int last = Math.max(0, bytes.length - 1);
        while (last > 0 && bytes[last - 1] != '\n') {
            last--;
        }
        return last;
    }

    /** Reads a file; empty if it is missing or damaged. */
    public static Optional<StateFile> find(Path file) throws IOException {
        try {
            return Optional.of(read(file));
        } catch (NoSuchFileException | DamagedFileException e) {
            return Optional.empty();
        }
    }

    private byte[] bytes() {
        StringBuilder text = new StringBuilder();
        values.forEach((key, value) -> text.append(key).append('\t').append(value).append('\n'));
        String lines = text.toString();
        return (lines + Checksum.line(Checksum.of(lines.getBytes(StandardCharsets.UTF_8))))
                .getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Creates a file that must not exist yet, as {@link AtomicFiles#create} does.
     *
     * @throws FileAlreadyExistsException if it exists
     */
    public void writeNew(Path file) throws IOException {
        AtomicFiles.create(file, bytes());
    }

    /** Writes or replaces a file, as {@link AtomicFiles#replace(Path, boolean, byte[])} does. */
    public void replace(Path file, boolean isSynced) throws IOException {
        AtomicFiles.replace(file, isSynced, bytes());
    }

    /** Returns a value, or the empty string. */
    public String text(String key) {
        return values.getOrDefault(key, "");
    }

    /** Returns a numeric value, or 0. */
    public long number(String key) {
        try {
            return Long.parseLong(text(key));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
