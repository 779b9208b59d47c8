// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.state.AtomicFiles;
import org.treehaul.core.state.DamagedFileException;
import org.treehaul.core.state.StateFile;

/**
 * Jobs submitted for a transfer, as recorded in its directory.
 *
 * @param generation the generation to which they belong
 * @param scheduler the name of the scheduler
 * @param ids the ids given by the scheduler, one for each job or job array; no spaces
 * @param phase the work of the jobs: {@code worker}, {@code finish}, {@code planner}
 * @param jobs the number of jobs
 */
@Api
public record SubmittedJobs(int generation, String scheduler, List<String> ids, String phase, int jobs) {

    /** Creates a record. */
    public SubmittedJobs {
        ids = List.copyOf(ids);
        if (generation < 1 || jobs < 1 || ids.isEmpty() || scheduler.isBlank() || phase.isBlank()) {
            throw new IllegalArgumentException(
                    "generation " + generation + ", " + jobs + " jobs " + ids + " of " + scheduler + " to " + phase);
        }
    }

    /** Writes the record into a directory and syncs it. */
    void writeTo(Path directory) throws IOException {
        StateFile file = StateFile.empty()
                .with("generation", generation)
                .withEscaped("scheduler", scheduler)
                .withEscaped("ids", String.join(" ", ids))
                .withEscaped("phase", phase)
                .with("jobs", jobs);
        for (int number = 1;; number++) {
            try {
                file.writeNew(directory.resolve(generation + "-" + phase + "-" + number));
                return;
            } catch (FileAlreadyExistsException e) {
                // Another record has this number: try the next one.
            }
        }
    }

    /**
     * Reads all records of a directory, in the order of generations and, within each, in the order in which the jobs
     * run.
     *
     * @throws TransferException if a record is damaged: its jobs may still be running
     */
    static List<SubmittedJobs> readFrom(Path directory) throws IOException {
        List<SubmittedJobs> all = new ArrayList<>();
        try (Listing files = Listing.of(directory)) {
            for (Path file = files.next(); file != null; file = files.next()) {
                if (!AtomicFiles.isHidden(file)) {
                    all.add(read(file));
                }
            }
        }
        all.sort(SubmittedJobs::compareOrder);
        return all;
    }

    // No Comparator.comparing: the JVM generates a class for each at every start.
    private static int compareOrder(SubmittedJobs one, SubmittedJobs other) {
        int order = Integer.compare(one.generation, other.generation);
        order = order != 0 ? order : Boolean.compare(one.phase.equals("finish"), other.phase.equals("finish"));
        return order != 0 ? order : one.phase.compareTo(other.phase);
    }

    private static SubmittedJobs read(Path file) throws IOException {
        try {
            StateFile values = StateFile.read(file);
            return new SubmittedJobs((int) values.number("generation"), values.text("scheduler"),
                    List.of(values.text("ids").split(" ")), values.text("phase"), (int) values.number("jobs"));
        } catch (IllegalArgumentException | DamagedFileException e) {
            throw new TransferException(file + " is damaged, and the jobs that it lists may still run: if you know "
                    + "that none is left, use resume or forget with --force", e);
        }
    }

    /**
     * Sets aside damaged records of a directory; the caller asserts that none of their jobs is left.
     *
     * @return the damaged files
     */
    static List<Path> putDamagedAside(Path directory) throws IOException {
        List<Path> damaged = new ArrayList<>();
        try (Listing files = Listing.of(directory)) {
            for (Path file = files.next(); file != null; file = files.next()) {
                if (!AtomicFiles.isHidden(file)) {
                    try {
                        read(file);
                    } catch (TransferException e) {
                        damaged.add(file);
                    }
                }
            }
        }
        for (Path file : damaged) {
            Files.move(file, file.resolveSibling("." + file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        return damaged;
    }
}
