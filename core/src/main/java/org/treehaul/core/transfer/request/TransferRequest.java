// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.request;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.state.DamagedFileException;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;

/**
 * Everything that the user asked of a transfer. Written as the file {@code request} of the transfer's directory, with a
 * version and a checksum, and replaced atomically when the transfer is resumed with other jobs. Immutable.
 *
 * @param jobs the jobs that carry it out
 * @param copy the copy to plan; empty if the transfer is created with its plan
 * @param jars the jars with the operation of the transfer, if it is not one of TreeHaul; absolute paths that every node
 *        sees
 */
public record TransferRequest(JobOptions jobs, Optional<CopyRequest> copy, List<Path> jars) {

    // A command line has at most 2 MiB (ARG_MAX), a byte at most 5 characters; a file of patterns may be longer.
    private static final int MOST_BYTES = 64 << 20;

    private static final String FILE = "request";

    /** Copies the list. */
    public TransferRequest {
        jars = List.copyOf(jars);
    }

    /** Returns a request of a copy. */
    public static TransferRequest of(CopyRequest copy, JobOptions jobs) {
        return new TransferRequest(jobs, Optional.of(copy), List.of());
    }

    /** Returns a request of a transfer that is created with its plan. */
    public static TransferRequest of(JobOptions jobs) {
        return of(jobs, List.of());
    }

    /** Returns a request of a transfer that is created with its plan, whose operation other jars add. */
    public static TransferRequest of(JobOptions jobs, List<Path> jars) {
        return new TransferRequest(jobs, Optional.empty(), jars);
    }

    /** Returns a copy with other jobs. */
    public TransferRequest withJobs(JobOptions other) {
        return new TransferRequest(other, copy, jars);
    }

    /** Writes the request into the directory of a transfer, or atomically replaces the one there. */
    public void write(TransferDirectory transfer) throws IOException {
        RequestFormat.write(this).replace(file(transfer), true);
    }

    /**
     * Reads the request of a transfer.
     *
     * @return empty if there is none: the transfer was made by a program that wrote none, or was never made to its end
     * @throws TransferException if it is damaged, or of another version of this program
     */
    public static Optional<TransferRequest> find(TransferDirectory transfer) throws IOException {
        Path file = file(transfer);
        StateFile read;
        try {
            read = StateFile.read(file, MOST_BYTES);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (DamagedFileException e) {
            throw new TransferException(String.valueOf(e.getMessage()), e);
        }
        try {
            return Optional.of(RequestFormat.read(read));
        } catch (IllegalArgumentException e) {
            throw new TransferException(file + ": " + e.getMessage() + "; use the program that made it", e);
        }
    }

    private static Path file(TransferDirectory transfer) {
        return transfer.path().resolve(FILE);
    }
}
