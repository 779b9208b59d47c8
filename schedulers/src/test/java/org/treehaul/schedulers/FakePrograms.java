// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Fake programs of a scheduler, with output that a test chooses, in a PATH directory, and a directory of a transfer.
 */
public final class FakePrograms {
    private final Path programs;
    private final Path transfer;

    public FakePrograms(Path directory) throws IOException {
        programs = Files.createDirectory(directory.resolve("programs"));
        transfer = Files.createDirectory(directory.resolve("transfer"));
        new Launch(Optional.empty(), Path.of("/treehaul.jar"), List.of(), List.of(), List.of(), List.of())
                .write(transfer);
    }

    /** Makes a program from lines of shell. */
    public FakePrograms with(String name, String... lines) throws IOException {
        Path program = programs.resolve(name);
        Files.writeString(program, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        if (!program.toFile().setExecutable(true)) {
            throw new IOException(program.toString());
        }
        return this;
    }

    public Map<String, String> environment() {
        return Map.of("PATH", programs + ":/usr/bin:/bin", "SBATCH_ARRAY_INX", "1-99");
    }

    /** Returns the content of a file that a program wrote into its directory, the transfer's. */
    public String written(String name) throws IOException {
        return Files.readString(transfer.resolve(name));
    }

    public Path transfer() {
        return transfer;
    }

    public JobRequest workers(int jobs) {
        return JobRequest.of("20261121-120000-abcd", 1, JobPhase.WORKER, transfer).jobs(jobs);
    }
}
