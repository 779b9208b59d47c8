// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

import org.treehaul.core.state.StateFile;

/**
 * The final end of a generation: a file that is created exclusively, either by finishing, with its result, or by a
 * cancellation. The second process obeys the existing file, so that no generation is both complete and cancelled.
 */
public final class GenerationResult {

    private final TransferDirectory directory;
    private final int generation;
    private final Path file;

    private GenerationResult(TransferDirectory directory, int generation) {
        this.directory = directory;
        this.generation = generation;
        this.file = directory.path().resolve("generations").resolve(generation + ".end");
    }

    public static GenerationResult of(TransferDirectory directory, int generation) {
        return new GenerationResult(directory, generation);
    }

    /** Returns the file of results that are not final; older transfers keep any result there. */
    static Path provisionalFile(TransferDirectory directory) {
        return directory.finish().resolve("result");
    }

    /** Returns the result of finishing this generation; a final one takes precedence over any other. */
    public Optional<TransferResult> result() throws IOException {
        Optional<TransferResult> last = TransferResult.read(file);
        return (last.isPresent() ? last : TransferResult.read(provisionalFile(directory)))
                .filter(result -> result.generation() == generation);
    }

    /** Records a result; returns whether it counts, because the generation was not cancelled before. */
    public boolean record(TransferResult result) throws IOException {
        if (!result.isFinal()) {
            result.write(provisionalFile(directory));
            return true;
        }
        try {
            result.lines().writeNew(file);
        } catch (FileAlreadyExistsException e) {
            if (TransferResult.read(file).isEmpty()) {
                return false;
            }
            // The generation was finished once more, by hand or because its job was requeued.
            result.write(file);
        }
        return true;
    }

    /** Prevents any further finishing; returns false if the generation is already finished. */
    public boolean cancel() throws IOException {
        if (isFinal()) {
            return false;
        }
        try {
            StateFile.empty().with("state", "cancelled").with("time", Instant.now()).writeNew(file);
            return true;
        } catch (FileAlreadyExistsException e) {
            return !isFinal();
        }
    }

    /** Returns whether the generation has a final result or was cancelled. */
    public boolean hasEnded() {
        return Files.exists(file);
    }

    private boolean isFinal() throws IOException {
        return result().filter(TransferResult::isFinal).isPresent();
    }
}
