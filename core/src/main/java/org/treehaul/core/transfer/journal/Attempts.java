// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.state.AtomicFiles;
import org.treehaul.core.transfer.directory.ManyFiles;
import org.treehaul.core.transfer.directory.ThisProcess;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferId;

/** The journals of the attempts at batches, or at finishing. The existence of a journal is a claim. */
public final class Attempts {

    private final Path directory;
    private final TransferId transfer;

    Attempts(Path directory, TransferId transfer) {
        this.directory = directory;
        this.transfer = transfer;
    }

    public static Attempts atBatches(TransferDirectory directory) {
        return new Attempts(directory.attempts(), directory.id());
    }

    public static Attempts atFinishing(TransferDirectory directory) {
        return new Attempts(directory.finish(), directory.id());
    }

    public Path journal(AttemptName name) {
        return directory.resolve(name.journal());
    }

    /** Returns the number of the newest attempt at each batch that has one. */
    public Map<Integer, Integer> newest() throws IOException {
        Map<Integer, Integer> newest = new HashMap<>();
        ManyFiles.names(directory, (bytes, from, length) -> AttemptName.of(bytes, from, length)
                .ifPresent(name -> newest.merge(name.batch(), name.number(), Math::max)));
        return newest;
    }

    /**
     * Returns the number of the newest attempt at a batch, 0 for none.
     *
     * @param known an earlier result of {@link #newest()}, which saves listing all attempts for each batch
     */
    public int newest(int batch, Map<Integer, Integer> known) throws IOException {
        AttemptName newest = new AttemptName(batch, known.getOrDefault(batch, 0));
        while (exists(newest.next())) {
            newest = newest.next();
        }
        return newest.number();
    }

    public boolean exists(AttemptName name) throws IOException {
        return ServerView.exists(journal(name));
    }

    /** Claims an attempt by creating its journal; returns empty if another process was first. */
    public Optional<JournalWriter> claim(AttemptName name, int generation) throws IOException {
        JournalRecord.Header header = new JournalRecord.Header(transfer, name.batch(), name.number(), generation,
                ThisProcess.host(), ProcessHandle.current().pid(), ThisProcess.job(), Instant.now());
        return JournalWriter.claim(journal(name), header);
    }

    public JournalReader.Extent read(AttemptName name, JournalReader.Consumer consumer) throws IOException {
        return JournalReader.read(ServerView.fresh(journal(name)), name, transfer, consumer);
    }

    public Optional<JournalRecord.Header> header(AttemptName name) throws IOException {
        return JournalReader.header(ServerView.fresh(journal(name)))
                .filter(header -> name.isOf(header) && header.transfer().equals(transfer));
    }

    public Optional<JournalRecord.End> end(AttemptName name) throws IOException {
        return JournalReader.end(ServerView.fresh(journal(name)));
    }

    /**
     * Like {@link #end}, but reads through a new hard link, because a client may cache the old length under the
     * journal's own name. Equals {@link #end} on file systems without hard links.
     */
    public Optional<JournalRecord.End> endAtServer(AttemptName name) throws IOException {
        Path look = AtomicFiles.temporary(journal(name));
        try {
            Files.createLink(look, journal(name));
            return JournalReader.end(look);
        } catch (UnsupportedOperationException | FileSystemException e) {
            return end(name);
        } finally {
            AtomicFiles.removeQuietly(look);
        }
    }
}
