// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.JavaCommand;
import org.treehaul.core.testing.Ready;

/** Copies batches, and optionally finishes them, in a process of its own that can be killed. */
final class BatchProcess {

    static final int BATCHES = 4;
    static final long SEED = 11;

    private BatchProcess() {}

    /**
     * Works in the directory given by the first argument: copies the batch given by the second, or all batches and
     * finishes them.
     */
    public static void main(String[] args) {
        Batches batches = Batches.in(Path.of(args[0]), options(), BATCHES, SEED, HostileTree.CHUNK_BYTES);
        System.out.println(Ready.LINE);
        if (args[1].equals("all")) {
            batches.copyAll(new Random(SEED)).finish();
        } else {
            batches.copyChunks(Integer.parseInt(args[1]));
            batches.copy(Integer.parseInt(args[1]));
        }
        batches.failures.forEach(failure -> System.out.println("failed " + failure));
        System.out.println("COMPLETE");
    }

    static CopyOptions options() {
        return Copies.archive().verify(CopyOptions.Verify.XXH3).build();
    }

    /** Starts the process through a command that gets the rest as arguments. */
    static Process start(List<String> by, String classPath, Copies copies, String what) {
        List<String> command = new ArrayList<>(by);
        command.addAll(JavaCommand.of(classPath, BatchProcess.class, copies.directory().path(), what));
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
