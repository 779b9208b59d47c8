// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The journals of the attempts at batches, or at finishing. That one is there is a claim. */
final class Attempts {

    private final Path directory;
    private final TransferId transfer;

    Attempts(Path directory, TransferId transfer) {
        this.directory = directory;
        this.transfer = transfer;
    }

    static Attempts atBatches(TransferDirectory directory) {
        return new Attempts(directory.attempts(), directory.id());
    }

    static Attempts atFinishing(TransferDirectory directory) {
        return new Attempts(directory.finish(), directory.id());
    }

    Path journal(AttemptName name) {
        return directory.resolve(name.journal());
    }

    /** Returns the number of the newest attempt at each batch that there is one at. */
    Map<Integer, Integer> newest() throws IOException {
        Map<Integer, Integer> newest = new HashMap<>();
        try (Listing files = Listing.of(directory)) {
            for (Path file = files.next(); file != null; file = files.next()) {
                AttemptName.of(file.getFileName().toString())
                        .ifPresent(name -> newest.merge(name.batch(), name.number(), Math::max));
            }
        }
        return newest;
    }

    /**
     * Returns the number of the newest attempt at a batch, 0 for none.
     *
     * @param known what {@link #newest()} told once, so that not all of them are listed for each batch
     */
    int newest(int batch, Map<Integer, Integer> known) throws IOException {
        AttemptName newest = new AttemptName(batch, known.getOrDefault(batch, 0));
        try {
            while (true) {
                Files.getLastModifiedTime(journal(newest.next()));
                newest = newest.next();
            }
        } catch (NoSuchFileException e) {
            return newest.number();
        }
    }

    boolean exists(AttemptName name) {
        return Files.exists(journal(name));
    }

    /** Claims by making the journal; returns nothing when somebody else was first. */
    Optional<JournalWriter> claim(AttemptName name, int generation) throws IOException {
        JournalRecord.Header header = new JournalRecord.Header(transfer, name.batch(), name.number(), generation,
                ThisProcess.host(), ProcessHandle.current().pid(), ThisProcess.job(), Instant.now());
        return JournalWriter.claim(journal(name), header);
    }

    JournalReader.Extent read(AttemptName name, JournalReader.Consumer consumer) throws IOException {
        return JournalReader.read(journal(name), name, transfer, consumer);
    }

    Optional<JournalRecord.Header> header(AttemptName name) throws IOException {
        return JournalReader.header(journal(name))
                .filter(header -> name.isOf(header) && header.transfer().equals(transfer));
    }

    Optional<JournalRecord.End> end(AttemptName name) throws IOException {
        return JournalReader.end(journal(name));
    }

    /**
     * As {@link #end}, by a new link: a cache may keep for the journal's own name how long it was before. As that where
     * there are no links.
     */
    Optional<JournalRecord.End> endAtServer(AttemptName name) throws IOException {
        Path look = KeyFile.temporary(journal(name));
        try {
            Files.createLink(look, journal(name));
            return JournalReader.end(look);
        } catch (UnsupportedOperationException | FileSystemException e) {
            return end(name);
        } finally {
            KeyFile.removeQuietly(look);
        }
    }
}
