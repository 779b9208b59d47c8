// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Semaphore;

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
    private final boolean isOfThreads;
    private final int runBytes;

    // Taken while a thread writes records that were swapped for the spare ones, which this guards.
    private final Semaphore swapped = new Semaphore(1);
    private RunBuffer spare = new RunBuffer();

    // All guarded by this.
    private RunBuffer buffer = new RunBuffer();
    private final List<Run> runs = new ArrayList<>();
    private int runsMade;
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
        this(directory, name, descending, false, runBytes);
    }

    private ExternalSort(Directory directory, String name, boolean descending, boolean isOfThreads, int runBytes) {
        this.directory = directory;
        this.name = name;
        this.descending = descending;
        this.isOfThreads = isOfThreads;
        this.runBytes = isOfThreads ? runBytes / 2 : runBytes;
    }

    /**
     * Creates a sorter, in ascending order, to which several threads add blocks: while one writes a file, the others
     * add to the second half of the memory.
     *
     * @param directory the directory for its files
     * @param name the prefix of their names
     * @param runBytes the memory that it uses, unless a single record is larger
     */
    public static ExternalSort ofThreads(Path directory, String name, int runBytes) {
        return new ExternalSort(() -> directory, name, false, true, runBytes);
    }

    /** Returns the default memory of a sorter: one sixteenth of the heap, from 1 to 32 MiB. */
    public static int defaultRunBytes() {
        return Math.clamp(Runtime.getRuntime().maxMemory() / 16, 1 << 20, 32 << 20);
    }

    /** Adds a record; keys are compared as unsigned bytes. */
    public synchronized void add(byte[] key, byte[] content) throws IOException {
        makeRoom(key.length + content.length + RunBuffer.FRAME);
        buffer.add(key, content);
    }

    /**
     * Adds all records of a buffer, which is sorted then: each thread sorts what it adds before it waits for others.
     */
    public void addAll(RunBuffer block) throws IOException {
        block.sort(descending);
        FullRun full = addSorted(block);
        if (full != null) {
            try {
                write(full.records, full.file);
            } finally {
                full.records.clear();
                spare = full.records;
                swapped.release();
            }
        }
    }

    /** A file of sorted records, and their number. */
    private record Run(Path file, long records) {}

    /** Records that fill the memory, and the file for them. */
    private record FullRun(RunBuffer records, Path file) {}

    // Returns the records that the caller must write next, if there are any.
    private synchronized @Nullable FullRun addSorted(RunBuffer block) throws IOException {
        FullRun full = null;
        if (block.usedBytes() > runBytes) {
            for (int i = 0; i < block.count(); i++) {
                makeRoom(block.length(block.start(i)));
                buffer.add(block, i);
            }
        } else {
            if (isOfThreads && isFull(block.usedBytes())) {
                Path file = newRun(buffer.count());
                swapped.acquireUninterruptibly();
                full = new FullRun(buffer, file);
                buffer = spare;
            }
            makeRoom(block.usedBytes());
            buffer.addSorted(block, descending);
        }
        return full;
    }

    /** Writes the buffered records to a file and releases the memory, for callers with many sorters at once. */
    public synchronized void spill() throws IOException {
        if (buffer.count() > 0) {
            writeRun();
        }
        buffer = new RunBuffer();
    }

    private boolean isFull(int length) {
        return buffer.count() > 0 && buffer.usedBytes() + length > runBytes;
    }

    private void makeRoom(int length) throws IOException {
        if (isFull(length)) {
            writeRun();
        }
    }

    private void writeRun() throws IOException {
        write(buffer, newRun(buffer.count()));
        buffer.clear();
    }

    private void write(RunBuffer records, Path file) throws IOException {
        records.sort(descending);
        try (OutputStream out = PrivateFiles.rewrite(file)) {
            // A buffered stream takes a lock for each record.
            byte[] chunk = new byte[READ_BYTES];
            int used = 0;
            for (int i = 0; i < records.count(); i++) {
                int start = records.start(i);
                int length = records.length(start);
                if (length > chunk.length - used) {
                    out.write(chunk, 0, used);
                    used = 0;
                    chunk = length > chunk.length ? new byte[length] : chunk;
                }
                System.arraycopy(records.data(), start, chunk, used, length);
                used += length;
            }
            out.write(chunk, 0, used);
        }
    }

    private Path newRun(long records) throws IOException {
        Path file = directory.path().resolve(name + "." + runsMade++);
        runs.add(new Run(file, records));
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
                buffer = new RunBuffer();
                spare = new RunBuffer();
                int at = 0;
                while (runs.size() > FAN_IN) {
                    merge(at);
                    at = at + 2 < runs.size() ? at + 1 : 0;
                }
            }
        }
        return runs.isEmpty() ? new Records(buffer) : new Records(runs, descending);
    }

    // Replaces some files by one in the same place, so that equal records keep their order.
    private void merge(int from) throws IOException {
        int most = Math.min(FAN_IN, runs.size() - FAN_IN + 1);
        List<Run> merged = List.copyOf(runs.subList(from, Math.min(runs.size(), from + most)));
        Path file = newRun(merged.stream().mapToLong(Run::records).sum());
        try (Records records = new Records(merged, descending);
                OutputStream out = new BufferedOutputStream(PrivateFiles.rewrite(file), READ_BYTES)) {
            while (records.advance()) {
                int start = records.keyStart() - RunBuffer.FRAME;
                out.write(records.bytes(), start, records.end() - start);
            }
        }
        runs.subList(from, from + merged.size()).clear();
        runs.add(from, runs.removeLast());
        for (Run run : merged) {
            Files.delete(run.file);
        }
    }

    /** Deletes the files of the sorter. */
    @Override
    public synchronized void close() throws IOException {
        for (Run run : runs) {
            Files.deleteIfExists(run.file);
        }
        runs.clear();
        buffer.clear();
    }

    /** The sorted records, read one after another. */
    public static final class Records implements Closeable {
        private final @Nullable RunBuffer memory;
        private final boolean descending;
        private final Comparator<SortedRun> order;
        private final PriorityQueue<SortedRun> queue;
        private final List<SortedRun> open = new ArrayList<>();
        private @Nullable SortedRun current;
        private int index = -1;
        private byte[] bytes = {};
        private int keyStart;
        private int contentStart;
        private int end;
        // Copies for callers that keep them; null until they are asked for.
        private byte @Nullable [] key;
        private byte @Nullable [] content;

        private Records(RunBuffer memory) {
            this.memory = memory;
            this.descending = false;
            this.order = SortedRun.order(false);
            this.queue = new PriorityQueue<>(order);
        }

        private Records(List<Run> runs, boolean descending) throws IOException {
            this.memory = null;
            this.descending = descending;
            this.order = SortedRun.order(descending);
            this.queue = new PriorityQueue<>(order);
            try {
                for (Run run : runs) {
                    SortedRun sorted = new SortedRun(run.file, run.records, open.size(), READ_BYTES);
                    open.add(sorted);
                    if (sorted.advance()) {
                        queue.add(sorted);
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
                int start = memory.start(index);
                set(memory.data(), start + RunBuffer.FRAME, memory.keyLength(start), memory.length(start));
                return true;
            }
            current = next();
            if (current == null) {
                return false;
            }
            set(current.bytes(), current.keyStart(), current.keyLength(), current.length());
            return true;
        }

        private void set(byte[] memoryOfRecord, int start, int keyLength, int length) {
            bytes = memoryOfRecord;
            keyStart = start;
            contentStart = start + keyLength;
            end = start - RunBuffer.FRAME + length;
            key = null;
            content = null;
        }

        // Mostly the run of the last record also has the next one: neighbours were found together.
        private @Nullable SortedRun next() throws IOException {
            SortedRun last = current;
            if (last == null || !last.advance()) {
                return queue.poll();
            }
            SortedRun first = queue.peek();
            if (first == null || last.isKnownFirst()) {
                return last;
            }
            if (order.compare(last, first) < 0) {
                last.lookAhead(first, descending);
                return last;
            }
            queue.add(last);
            return queue.poll();
        }

        /** Returns the key of the record; the caller must not modify it. */
        public byte[] key() {
            byte[] known = key;
            if (known == null) {
                known = Arrays.copyOfRange(bytes, keyStart, contentStart);
                key = known;
            }
            return known;
        }

        /** Returns the content of the record; the caller must not modify it. */
        public byte[] content() {
            byte[] known = content;
            if (known == null) {
                known = Arrays.copyOfRange(bytes, contentStart, end);
                content = known;
            }
            return known;
        }

        /**
         * Returns the memory with the record, which the caller must not modify; valid until the next call of
         * {@link #advance}.
         */
        public byte[] bytes() {
            return bytes;
        }

        /** Returns where the key begins. */
        public int keyStart() {
            return keyStart;
        }

        /** Returns where the key ends, and the content begins. */
        public int contentStart() {
            return contentStart;
        }

        /** Returns where the content ends. */
        public int end() {
            return end;
        }

        @Override
        public void close() {
            open.forEach(SortedRun::close);
        }
    }
}
