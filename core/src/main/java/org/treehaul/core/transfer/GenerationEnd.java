// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * How a generation ends for good: one file that is made exclusively, by finishing with its result or by whoever
 * cancels. Whoever comes second goes by what stands there, so that nothing is both complete and cancelled.
 */
final class GenerationEnd {

    private final TransferDirectory directory;
    private final int generation;
    private final Path file;

    private GenerationEnd(TransferDirectory directory, int generation) {
        this.directory = directory;
        this.generation = generation;
        this.file = directory.path().resolve("generations").resolve(generation + ".end");
    }

    static GenerationEnd of(TransferDirectory directory, int generation) {
        return new GenerationEnd(directory, generation);
    }

    /** Returns the result of finishing in this generation, the one that counts for good before any other. */
    Optional<TransferResult> result() throws IOException {
        Optional<TransferResult> last = TransferResult.read(file);
        return (last.isPresent() ? last : TransferResult.read(Finishing.resultFile(directory)))
                .filter(result -> result.generation() == generation);
    }

    /** Writes a result down; returns whether it counts, as nobody has cancelled before. */
    boolean tell(TransferResult result) throws IOException {
        if (!result.isFinal()) {
            result.write(Finishing.resultFile(directory));
            return true;
        }
        try {
            result.lines().writeNew(file);
        } catch (FileAlreadyExistsException e) {
            if (TransferResult.read(file).isEmpty()) {
                return false;
            }
            // Finished once more, by hand or as its job was put back into the queue.
            result.write(file);
        }
        return true;
    }

    /** Sees to it that nobody finishes any more; returns whether nobody has. */
    boolean cancel() throws IOException {
        if (isFinal()) {
            return false;
        }
        try {
            KeyFile.empty().with("state", "cancelled").with("time", Instant.now()).writeNew(file);
            return true;
        } catch (FileAlreadyExistsException e) {
            return !isFinal();
        }
    }

    private boolean isFinal() throws IOException {
        return result().filter(TransferResult::isFinal).isPresent();
    }
}
