// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.treehaul.core.fs.LinuxConstants.POSIX_FADV_DONTNEED;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.data.CopyControl;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.copy.data.DataMover;
import org.treehaul.core.copy.data.DirectIo;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.storage.PosixFile;
import org.treehaul.core.threads.ParallelLoop;

/** Verifies whole files that were copied in chunks, each by several threads. Not safe for several threads. */
final class ChunkVerifier {

    private final CopyContext context;
    private final FileAccess access;
    private final ParallelLoop loop;
    private final CopyControl control;

    ChunkVerifier(CopyContext context, FileAccess access, ParallelLoop loop, CopyControl control) {
        this.context = context;
        this.access = access;
        this.loop = loop;
        this.control = control;
    }

    /**
     * Reads a file back and compares each chunk with its hash, if verification was requested.
     *
     * @param descriptor the open copy
     * @throws WithdrawnException if the copy is cancelled before the end
     */
    void verify(ChunkedCopy file, int descriptor) throws TargetException, CorruptException, WithdrawnException {
        List<DataHash.Extents> chunks = file.chunks()
                .stream()
                .map(ChunkedCopy.Chunk::proof)
                .map(ByteString::toBytes)
                .filter(proof -> proof.length > 0)
                .map(DataHash.Extents::of)
                .toList();
        if (chunks.isEmpty() || context.options().verify() == CopyOptions.Verify.NONE) {
            return;
        }
        TargetException.check("fsync", access.calls().fsync(descriptor));
        access.calls().posixFadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
        long size = chunks.stream().mapToLong(DataHash.Extents::to).max().getAsLong();
        try (DirectIo.Reading reading = context.direct().openToRead(new PosixFile(access, descriptor), size)) {
            verify(reading, chunks);
        }
    }

    private void verify(DirectIo.Reading file, List<DataHash.Extents> chunks)
            throws TargetException, CorruptException, WithdrawnException {
        AtomicReference<@Nullable Exception> problem = new AtomicReference<>();
        loop.each(chunks, 2, own -> {
            DataMover mover = context.mover(own, control);
            return chunk -> {
                try {
                    if (problem.get() == null) {
                        mover.verifier().verify(file.file(own), chunk);
                    }
                } catch (TargetException | CorruptException | WithdrawnException e) {
                    problem.compareAndSet(null, e);
                }
            };
        });
        switch (problem.get()) {
            case null -> {
            }
            case CorruptException e -> throw e;
            case TargetException e -> throw e;
            case WithdrawnException e -> throw e;
            case Exception e -> throw new IllegalStateException(e);
        }
    }
}
