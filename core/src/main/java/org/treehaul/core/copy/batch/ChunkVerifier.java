// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.treehaul.core.fs.LinuxConstants.POSIX_FADV_DONTNEED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.PosixFile;
import org.treehaul.core.threads.ParallelLoop;

/** Verifies whole files that were copied in chunks, each by several threads. Not safe for several threads. */
final class ChunkVerifier {

    private static final long BUFFER = 1 << 20;

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
     * Returns whether a file that exists contains the data of the source: each chunk is compared with its hash, or with
     * the source if the chunks have no hashes.
     *
     * @param source the open source
     * @param there the open file, which is as large as the source
     * @throws CorruptException if a chunk differs from its hash
     * @throws WithdrawnException if the copy is cancelled before the end
     */
    boolean isCopy(ChunkedCopy file, int source, int there)
            throws SystemCallException, TargetException, CorruptException, WithdrawnException {
        List<DataHash.Extents> chunks = hashes(file);
        if (chunks.isEmpty()) {
            return isEqual(new PosixFile(access, source), new PosixFile(access, there));
        }
        verify(chunks, there);
        return true;
    }

    private boolean isEqual(PosixFile source, PosixFile there)
            throws SystemCallException, TargetException, WithdrawnException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment read = arena.allocate(BUFFER);
            MemorySegment readThere = arena.allocate(BUFFER);
            long at = 0;
            long n;
            do {
                if (control.isStopped()) {
                    throw new WithdrawnException();
                }
                n = source.readFully(read, at);
                long found = readThere(there, readThere, at);
                if (found != n || read.asSlice(0, n).mismatch(readThere.asSlice(0, n)) >= 0) {
                    return false;
                }
                at += n;
            } while (n > 0);
            return true;
        }
    }

    private static long readThere(PosixFile there, MemorySegment into, long at) throws TargetException {
        try {
            return there.readFully(into, at);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private List<DataHash.Extents> hashes(ChunkedCopy file) {
        if (context.options().verify() == CopyOptions.Verify.NONE) {
            return List.of();
        }
        return file.chunks()
                .stream()
                .map(ChunkedCopy.Chunk::proof)
                .map(ByteString::toBytes)
                .filter(proof -> proof.length > 0)
                .map(DataHash.Extents::of)
                .toList();
    }

    private void verify(List<DataHash.Extents> chunks, int descriptor)
            throws TargetException, CorruptException, WithdrawnException {
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
