// SPDX-License-Identifier: Apache-2.0
package org.treehaul.pool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.JournalReader;
import org.treehaul.core.transfer.journal.JournalRecord;

/**
 * An attempt at a batch, as its journal records it.
 *
 * @param pid the process that claimed it
 * @param begun when the batch was claimed
 * @param last when the journal was written for the last time
 * @param done the entries that were copied
 * @param durable those that are on disk
 * @param hasEnd whether the attempt recorded its end
 */
record Attempt(AttemptName name, String host, long pid, Instant begun, Instant last, Set<Integer> done,
        Set<Integer> durable, boolean hasEnd) {

    /** Returns the attempts of a transfer, in the order of batches and attempts. */
    static List<Attempt> all(Path transfer) {
        Map<Integer, Map<Integer, Attempt>> all = new TreeMap<>();
        try (var journals = Files.newDirectoryStream(transfer.resolve("attempts"), "[0-9]*.journal")) {
            for (Path journal : journals) {
                Attempt attempt = read(new TransferId(String.valueOf(transfer.getFileName())), journal);
                all.computeIfAbsent(attempt.name.batch(), _ -> new TreeMap<>()).put(attempt.name.number(), attempt);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all.values().stream().flatMap(attempts -> attempts.values().stream()).toList();
    }

    private static Attempt read(TransferId id, Path journal) throws IOException {
        String[] words = String.valueOf(journal.getFileName()).split("\\.", -1);
        AttemptName name = new AttemptName(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
        Instant last = Files.getLastModifiedTime(journal).toInstant();
        List<JournalRecord.Header> headers = new ArrayList<>();
        List<JournalRecord.End> ends = new ArrayList<>();
        Map<Long, List<Integer>> found = new TreeMap<>();
        Set<Integer> done = new TreeSet<>();
        Set<Integer> durable = new TreeSet<>();
        JournalReader.read(journal, name, id, (offset, record) -> {
            switch (record) {
                case JournalRecord.Header header -> headers.add(header);
                case JournalRecord.Indexes indexes -> indexes.forEach(index -> {
                    done.add(index);
                    found.computeIfAbsent(offset, _ -> new ArrayList<>()).add(index);
                });
                case JournalRecord.Durable mark -> found.forEach((at, entries) -> {
                    if (at < mark.before()) {
                        durable.addAll(entries);
                    }
                });
                case JournalRecord.End end -> ends.add(end);
                default -> {
                    // The trees have no entries in chunks, and no failures.
                }
            }
        });
        return headers.isEmpty()
                ? new Attempt(name, "", 0, Instant.MIN, last, done, durable, false)
                : new Attempt(name, headers.getFirst().host(), headers.getFirst().pid(), headers.getFirst().time(),
                        last, done, durable, !ends.isEmpty());
    }
}
