// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.treehaul.core.threads.ParallelLoop;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchProgress;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.ProgressReader;

/**
 * The progress that workers last reported of attempts at the batches of a transfer, all read at once: by one thread
 * where that is fast, otherwise by several, because then it takes the time of a server's answers. Used by one thread.
 */
final class ReportedProgress {

    private static final int GROUP = 64;
    // If the fastest file of a group took longer, a server answers, however busy the machine is: the system itself takes
    // some 10 microseconds for the calls of a file.
    private static final long FAR_NANOS = 200_000;
    // A client of NFS sends at most 64 requests at once by default, and others use it too.
    private static final int MOST_THREADS = 16;

    private final TransferDirectory transfer;
    private final Map<Integer, Integer> newest;
    private final Map<AttemptName, BatchProgress> byAttempt = new HashMap<>();

    private ReportedProgress(TransferDirectory transfer, Map<Integer, Integer> newest) {
        this.transfer = transfer;
        this.newest = newest;
    }

    /** Returns the progress of a transfer that no worker can have begun. */
    static ReportedProgress none(TransferDirectory transfer) {
        return new ReportedProgress(transfer, Map.of());
    }

    /**
     * Reads the progress of the newest attempt at each batch.
     *
     * @param withOlder whether that of all earlier attempts is read, too
     * @param seen has the progress that need not be read again, and receives more of it
     */
    static ReportedProgress read(TransferDirectory transfer, boolean withOlder, SeenWork seen) throws IOException {
        return read(transfer, withOlder, seen, FAR_NANOS);
    }

    /**
     * Reads it.
     *
     * @param farNanos the time of the fastest file of a group above which several threads read the others
     */
    static ReportedProgress read(TransferDirectory transfer, boolean withOlder, SeenWork seen, long farNanos)
            throws IOException {
        ReportedProgress progress = new ReportedProgress(transfer, Attempts.atBatches(transfer).newest());
        List<AttemptName> names = new ArrayList<>(progress.newest.size());
        progress.newest.forEach((batch, last) -> {
            for (int number = withOlder ? 1 : last; number <= last; number++) {
                AttemptName name = new AttemptName(batch, number);
                BatchProgress known = seen.ended(name);
                if (known == null) {
                    names.add(name);
                } else {
                    progress.byAttempt.put(name, known);
                }
            }
        });
        progress.readAll(names.iterator(), farNanos);
        for (AttemptName name : names) {
            BatchProgress read = progress.byAttempt.get(name);
            if (read != null) {
                seen.read(name, read);
            }
        }
        return progress;
    }

    private void readAll(Iterator<AttemptName> names, long farNanos) throws IOException {
        try (Reading reading = new Reading()) {
            boolean isFar = false;
            while (names.hasNext() && !isFar) {
                long fastest = Long.MAX_VALUE;
                for (int i = 0; i < GROUP && names.hasNext(); i++) {
                    long start = System.nanoTime();
                    reading.process(names.next());
                    fastest = Math.min(fastest, System.nanoTime() - start);
                }
                isFar = fastest > farNanos;
            }
            ParallelLoop.each(() -> names.hasNext() ? names.next() : null, MOST_THREADS, Reading::new);
        } catch (UncheckedIOException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    /** Reads on one thread. */
    private final class Reading implements ParallelLoop.Worker<AttemptName> {
        private final ProgressReader reader = new ProgressReader(transfer);

        @Override
        public void process(AttemptName name) {
            try {
                Optional<BatchProgress> read = reader.read(name);
                if (read.isPresent()) {
                    synchronized (byAttempt) {
                        byAttempt.put(name, read.get());
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            reader.close();
        }
    }

    /** Returns the number of the newest attempt at a batch, 0 for none. */
    int newest(int batch) {
        return newest.getOrDefault(batch, 0);
    }

    /** Returns the progress of the newest attempt at a batch; empty if there is none, or it is missing or damaged. */
    Optional<BatchProgress> of(int batch) {
        return Optional.ofNullable(byAttempt.get(new AttemptName(batch, newest(batch))));
    }

    /** Receives the generation of an attempt, and when it began and last reported. */
    @FunctionalInterface
    interface Times {
        void attempt(int generation, Instant began, Instant reported);
    }

    /**
     * Passes on the times of all attempts, if those of earlier ones were read. One without progress has the time of its
     * header.
     */
    void each(Times times) throws IOException {
        Attempts attempts = Attempts.atBatches(transfer);
        for (Map.Entry<Integer, Integer> batch : newest.entrySet()) {
            for (int number = 1; number <= batch.getValue(); number++) {
                AttemptName name = new AttemptName(batch.getKey(), number);
                BatchProgress known = byAttempt.get(name);
                if (known != null) {
                    times.attempt(known.generation(), Instant.ofEpochMilli(known.started()),
                            Instant.ofEpochMilli(known.reported()));
                } else {
                    header(attempts, name)
                            .ifPresent(header -> times.attempt(header.generation(), header.time(), header.time()));
                }
            }
        }
    }

    private static Optional<JournalRecord.Header> header(Attempts attempts, AttemptName name) throws IOException {
        try {
            return attempts.header(name);
        } catch (NoSuchFileException e) {
            // The transfer is being planned again.
            return Optional.empty();
        }
    }
}
