// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.state.AtomicFiles;
import org.treehaul.core.state.Checksum;

/**
 * A text file of a plan: lines of fields separated by tabs. The first line holds kind and version, the last line the
 * checksum of all lines before it.
 */
public final class TextFile implements Closeable {

    private final OutputStream out;
    private final CRC32C checksum = new CRC32C();

    private TextFile(OutputStream out) {
        this.out = out;
    }

    /** Starts a file; existing content is lost. */
    public static TextFile begin(Path file, String kind) throws IOException {
        TextFile text = new TextFile(synced(file));
        text.line("treehaul-" + kind, String.valueOf(PlanHeader.VERSION));
        return text;
    }

    /** Opens a file for writing; closing the stream syncs its data to disk. */
    public static OutputStream synced(Path file) throws IOException {
        FileChannel channel = PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING);
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[]{(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                ByteBuffer buffer = ByteBuffer.wrap(bytes, from, length);
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            }

            @Override
            public void close() throws IOException {
                if (channel.isOpen()) {
                    try (channel) {
                        channel.force(false);
                    }
                }
            }
        };
    }

    /** Writes a line in one call: a concurrent reader sees complete lines, or a last one without a line feed. */
    public void line(String... fields) throws IOException {
        byte[] line = (String.join("\t", fields) + "\n").getBytes(StandardCharsets.UTF_8);
        checksum.update(line);
        out.write(line);
    }

    /** Writes the checksum, closes the file and returns the checksum. */
    public int end() throws IOException {
        int value = (int) checksum.getValue();
        out.write(Checksum.line(value).getBytes(StandardCharsets.US_ASCII));
        out.close();
        return value;
    }

    /** Closes the file without the checksum, after a failure. */
    @Override
    public void close() throws IOException {
        out.close();
    }

    /** Replaces a small file atomically, so that readers find the old one, the new one or none. */
    public static int replace(Path file, String kind, List<String[]> lines) throws IOException {
        Path temporary = temporary(file);
        int value;
        try (TextFile text = begin(temporary, kind)) {
            for (String[] line : lines) {
                text.line(line);
            }
            value = text.end();
        }
        AtomicFiles.rename(temporary, file);
        return value;
    }

    /** Returns the temporary name under which a file is written. */
    public static Path temporary(Path file) {
        return file.resolveSibling(file.getFileName() + ".new");
    }

    /**
     * The content of a file.
     *
     * @param lines its lines except the first and the last, divided into fields
     * @param isEnded whether the last line with the checksum exists
     * @param checksum the checksum if it exists, else 0
     */
    public record Content(List<String[]> lines, boolean isEnded, int checksum) {}

    /**
     * Reads a file.
     *
     * @param mayGrow whether the file may still be incomplete or absent; an incomplete last line is ignored then
     */
    public static Content read(Path file, String kind, boolean mayGrow) throws PlanException {
        return read(file, kind, mayGrow, bytes(file, mayGrow));
    }

    /** Returns the bytes of a file; none if it may still be absent and is. */
    static byte[] bytes(Path file, boolean mayGrow) throws PlanException {
        try {
            return mayGrow && !ServerView.exists(file) ? new byte[0] : Files.readAllBytes(ServerView.fresh(file));
        } catch (IOException e) {
            throw PlanException.unreadable(file, e);
        }
    }

    /** Reads the bytes of a file, as {@link #read(Path, String, boolean)} does. */
    static Content read(Path file, String kind, boolean mayGrow, byte[] bytes) throws PlanException {
        List<String[]> lines = new ArrayList<>();
        CRC32C checksum = new CRC32C();
        int start = 0;
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] != '\n') {
                continue;
            }
            String[] fields = fields(bytes, start, at);
            if (lines.isEmpty()) {
                checkKind(file, fields, kind);
            }
            if (fields[0].equals(Checksum.KEY)) {
                if (at + 1 != bytes.length || fields.length != 2
                        || !fields[1].equals(Checksum.hex((int) checksum.getValue()))) {
                    throw PlanException.damaged(file, "its checksum is wrong");
                }
                return new Content(lines.subList(1, lines.size()), true, (int) checksum.getValue());
            }
            lines.add(fields);
            checksum.update(bytes, start, at + 1 - start);
            start = at + 1;
        }
        if (!mayGrow) {
            throw PlanException.damaged(file, bytes.length == 0 ? "it is empty" : "its end is missing");
        }
        return new Content(lines.subList(Math.min(1, lines.size()), lines.size()), false, 0);
    }

    // A plan may have a line for each of a million batches.
    private static String[] fields(byte[] bytes, int from, int to) {
        int count = 1;
        for (int at = from; at < to; at++) {
            count += bytes[at] == '\t' ? 1 : 0;
        }
        String[] fields = new String[count];
        int start = from;
        for (int i = 0; i < count; i++) {
            int end = start;
            while (end < to && bytes[end] != '\t') {
                end++;
            }
            fields[i] = new String(bytes, start, end - start, StandardCharsets.UTF_8);
            start = end + 1;
        }
        return fields;
    }

    private static void checkKind(Path file, String[] fields, String kind) throws PlanException {
        if (!fields[0].equals("treehaul-" + kind) || fields.length != 2) {
            throw PlanException.damaged(file, "it does not start with treehaul-" + kind);
        }
        checkVersion(file, fields[1]);
    }

    static void checkVersion(Path file, String version) throws PlanException {
        for (int known = PlanHeader.OLDEST_VERSION; known <= PlanHeader.VERSION; known++) {
            if (version.equals(String.valueOf(known))) {
                return;
            }
        }
        throw PlanException.ofOtherVersion(PlanException.printable(file) + " is of format " + ByteString.of(version)
                + ", but this TreeHaul reads formats " + PlanHeader.OLDEST_VERSION + " to " + PlanHeader.VERSION
                + ": plan again, or use the TreeHaul that wrote it");
    }
}
