// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

import org.apache.commons.io.EndianUtils;
import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.PrivateFiles;

/**
 * Sorts any number of records in bounded memory: records that exceed it are written to sorted files, which are merged
 * on reading. Any number of threads may add records; once all are added, the records can be read any number of times.
 */
public final class ExternalSort implements Closeable {

    // Files merged at once; each needs a buffer.
    private static final int FAN_IN = 64;
    private static final int READ_BYTES = 32 * 1024;

    private final Directory directory;
    private final String name;
    private final boolean descending;
    private final int runBytes;

    // All guarded by this.
    private RunBuffer buffer = new RunBuffer();
    private final List<Path> runs = new ArrayList<>();
    private int runsMade;
    private long count;
    private boolean isSorted;

    /** Supplies the directory for the files of a sorter, and may create it on the first call. */
    @FunctionalInterface
    public interface Directory {
        Path path() throws IOException;
    }

    /**
     * Creates a sorter.
     *
     * @param directory the directory for its files
     * @param name the prefix of their names
     * @param runBytes the memory that it uses, unless a single record is larger
     */
    public ExternalSort(Path directory, String name, boolean descending, int runBytes) {
        this(() -> directory, name, descending, runBytes);
    }

    /** Creates a sorter that asks for its directory whenever it creates a file, as the other constructor does. */
    public ExternalSort(Directory directory, String name, boolean descending, int runBytes) {
        this.directory = directory;
        this.name = name;
        this.descending = descending;
        this.runBytes = runBytes;
    }

    /** Returns the default memory of a sorter: one sixteenth of the heap, from 1 to 32 MiB. */
    public static int defaultRunBytes() {
        return Math.clamp(Runtime.getRuntime().maxMemory() / 16, 1 << 20, 32 << 20);
    }

    /** Adds a record; keys are compared as unsigned bytes. */
    public synchronized void add(byte[] key, byte[] content) throws IOException {
        makeRoom(key.length + content.length + RunBuffer.FRAME);
        buffer.add(key, content);
        count++;
    }

    /** Adds all records of a buffer. */
    public synchronized void addAll(RunBuffer block) throws IOException {
        for (int i = 0; i < block.count(); i++) {
            makeRoom(block.length(block.start(i)));
            buffer.add(block, i);
        }
        count += block.count();
    }

    synchronized long count() {
        return count;
    }

    /** Writes the buffered records to a file and releases the memory, for callers with many sorters at once. */
    public synchronized void spill() throws IOException {
        if (buffer.count() > 0) {
            writeRun();
        }
        buffer = new RunBuffer();
    }

    private void makeRoom(int length) throws IOException {
        if (buffer.count() > 0 && buffer.usedBytes() + length > runBytes) {
            writeRun();
        }
    }

    private void writeRun() throws IOException {
        buffer.sort(descending);
        Path file = newRun();
        try (OutputStream out = new BufferedOutputStream(PrivateFiles.rewrite(file), READ_BYTES)) {
            for (int i = 0; i < buffer.count(); i++) {
                int start = buffer.start(i);
                out.write(buffer.data(), start, buffer.length(start));
            }
        }
        buffer.clear();
    }

    private Path newRun() throws IOException {
        Path file = directory.path().resolve(name + "." + runsMade++);
        runs.add(file);
        return file;
    }

    /** Opens the sorted records. No record may be added afterwards. */
    public synchronized Records open() throws IOException {
        if (!isSorted) {
            isSorted = true;
            if (runs.isEmpty()) {
                buffer.sort(descending);
            } else {
                writeRun();
                while (runs.size() > FAN_IN) {
                    mergeFirst();
                }
            }
        }
        return runs.isEmpty() ? new Records(buffer) : new Records(runs, descending);
    }

    private void mergeFirst() throws IOException {
        List<Path> merged = List.copyOf(runs.subList(0, FAN_IN));
        try (Records records = new Records(merged, descending);
                OutputStream out = new BufferedOutputStream(PrivateFiles.rewrite(newRun()), READ_BYTES)) {
            while (records.advance()) {
                EndianUtils.writeSwappedInteger(out, records.key().length);
                EndianUtils.writeSwappedInteger(out, records.content().length);
                out.write(records.key());
                out.write(records.content());
            }
        }
        runs.removeAll(merged);
        for (Path file : merged) {
            Files.delete(file);
        }
    }

    /** Deletes the files of the sorter. */
    @Override
    public synchronized void close() throws IOException {
        for (Path file : runs) {
            Files.deleteIfExists(file);
        }
        runs.clear();
        buffer.clear();
    }

    /** The sorted records, read one after another. */
    public static final class Records implements Closeable {
        private final @Nullable RunBuffer memory;
        private final PriorityQueue<Run> queue;
        private final List<Run> open = new ArrayList<>();
        private @Nullable Run current;
        private int index = -1;
        private byte[] key = {};
        private byte[] content = {};

        private Records(RunBuffer memory) {
            this.memory = memory;
            this.queue = new PriorityQueue<>();
        }

        private Records(List<Path> files, boolean descending) throws IOException {
            this.memory = null;
            this.queue = new PriorityQueue<>((a, b) -> {
                int result = Arrays.compareUnsigned(a.key, b.key);
                return result == 0 ? Integer.compare(a.number, b.number) : descending ? -result : result;
            });
            try {
                for (Path file : files) {
                    Run run = new Run(file, open.size());
                    open.add(run);
                    if (run.advance()) {
                        queue.add(run);
                    }
                }
            } catch (IOException e) {
                close();
                throw e;
            }
        }

        /** Advances to the next record; returns false after the last. */
        public boolean advance() throws IOException {
            if (memory != null) {
                index++;
                if (index >= memory.count()) {
                    return false;
                }
                key = memory.key(index);
                content = memory.content(index);
                return true;
            }
            if (current != null && current.advance()) {
                queue.add(current);
            }
            current = queue.poll();
            if (current == null) {
                return false;
            }
            key = current.key;
            content = current.content;
            return true;
        }

        /** Returns the key of the record; the caller must not modify it. */
        public byte[] key() {
            return key;
        }

        /** Returns the content of the record; the caller must not modify it. */
        public byte[] content() {
            return content;
        }

        @Override
        public void close() {
            open.forEach(Run::close);
        }
    }

    private static final class Run {
        private final int number;
        private final InputStream in;
        private byte[] key = {};
        private byte[] content = {};

        Run(Path file, int number) throws IOException {
            this.number = number;
            this.in = new BufferedInputStream(Files.newInputStream(file), READ_BYTES);
        }

        boolean advance() throws IOException {
            int first = in.read();
            if (first < 0) {
                return false;
            }
            byte[] rest = in.readNBytes(RunBuffer.FRAME - 1);
            if (rest.length < RunBuffer.FRAME - 1) {
                throw new EOFException("the spool ends too early");
            }
            byte[] frame = new byte[RunBuffer.FRAME];
            frame[0] = (byte) first;
            System.arraycopy(rest, 0, frame, 1, rest.length);
            key = read(EndianUtils.readSwappedInteger(frame, 0));
            content = read(EndianUtils.readSwappedInteger(frame, 4));
            return true;
        }

        private byte[] read(int length) throws IOException {
            byte[] bytes = in.readNBytes(length);
            if (bytes.length < length) {
                throw new EOFException("the spool ends too early");
            }
            return bytes;
        }

        void close() {
            try {
                in.close();
            } catch (IOException e) {
                // The file was only read.
            }
        }
    }
}
