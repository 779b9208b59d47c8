// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.treehaul.core.state.StateFile;

/**
 * Error messages of a generation's workers, one file each, so that {@code status} can show them without the job logs.
 */
public final class WorkerErrors {

    private static final String PROBLEM = "problem";
    private static final int LONGEST = 1000;
    private static final int SHOWN = 3;

    private final TransferDirectory directory;
    private final int generation;

    private WorkerErrors(TransferDirectory directory, int generation) {
        this.directory = directory;
        this.generation = generation;
    }

    /** Returns the error messages of a generation of a transfer. */
    public static WorkerErrors of(TransferDirectory directory, int generation) {
        return new WorkerErrors(directory, generation);
    }

    /** Records the error of a worker, replacing its previous one. */
    public void record(int worker, String problem) throws IOException {
        StateFile.empty()
                .withEscaped(PROBLEM, problem.substring(0, Math.min(LONGEST, problem.length())))
                .replace(directory.finish().resolve(prefix() + worker), false);
    }

    /** Removes the record of a worker. */
    public void clear(int worker) throws IOException {
        Files.deleteIfExists(directory.finish().resolve(prefix() + worker));
    }

    /** Returns all messages without duplicates. */
    public Set<String> messages() throws IOException {
        Set<String> messages = new TreeSet<>();
        try (Listing files = Listing.of(directory.finish(), prefix() + "*")) {
            for (Path file = files.next(); file != null; file = files.next()) {
                StateFile.find(file).map(values -> values.text(PROBLEM)).ifPresent(messages::add);
            }
        }
        return messages;
    }

    /** Returns the messages as a suffix for another message: workers on many nodes mostly report the same. */
    public String shown() throws IOException {
        List<String> messages = List.copyOf(messages());
        int some = Math.min(SHOWN, messages.size());
        return messages.subList(0, some).stream().map(problem -> "; " + problem).collect(Collectors.joining())
                + (some < messages.size() ? "; and " + (messages.size() - some) + " more such problems" : "");
    }

    private String prefix() {
        return generation + ".trouble-";
    }
}
