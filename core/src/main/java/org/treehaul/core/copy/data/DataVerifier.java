// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.StoredFile;

/**
 * Reads back data that were copied, and compares them with the hash of those written. Without a hash, everything counts
 * as equal. Not safe for several threads.
 */
public final class DataVerifier {

    private final @Nullable DataHash hash;
    private final Progress progress;
    private final MemorySegment buffer;
    private final CopyControl control;

    /** Creates a verifier that uses the hash and the buffer of a mover. */
    DataVerifier(@Nullable DataHash hash, Progress progress, MemorySegment buffer, CopyControl control) {
        this.hash = hash;
        this.progress = progress;
        this.buffer = buffer;
        this.control = control;
    }

    /**
     * Reads back a whole file in one go that has no holes and is smaller than the buffer, and compares it with its
     * hash.
     *
     * @return whether the file contains exactly the data written
     */
    public boolean readsBackWhole(StoredFile target, DataHash.Extents expected) throws SystemCallException {
        DataHash digest = hash;
        if (digest == null) {
            return true;
        }
        long size = expected.to();
        long done = 0;
        long n;
        do {
            // The buffer is larger than the file should be, so that additional data would be noticed.
            n = target.read(done == 0 ? buffer : buffer.asSlice(done), done);
            done += n;
        } while (n > 0 && done < size);
        if (done != size) {
            return false;
        }
        progress.bytesVerified(size);
        return expected.hasHash(digest.ofWhole(buffer.asSlice(0, size)));
    }

    /**
     * Reads back a range of the target and compares it with its hash.
     *
     * @throws CorruptException if the range does not contain the data written
     */
    public void verify(StoredFile target, DataHash.Extents expected)
            throws TargetException, CorruptException, WithdrawnException {
        try {
            if (!readsBack(target, expected)) {
                throw new CorruptException();
            }
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    /**
     * Reads back a range of the target and compares it with its hash.
     *
     * @return whether the range contains the data written
     */
    public boolean readsBack(StoredFile target, DataHash.Extents expected)
            throws SystemCallException, WithdrawnException {
        DataHash digest = hash;
        if (digest == null) {
            return true;
        }
        digest.reset();
        long hole = expected.from();
        for (int i = 0; i < expected.count(); i++) {
            if (!isZero(target, hole, expected.start(i))) {
                return false;
            }
            if (!hashRange(digest, target, expected.start(i), expected.end(i))) {
                return false;
            }
            progress.bytesVerified(expected.end(i) - expected.start(i));
            hole = expected.end(i);
        }
        byte[] found = digest.finish();
        boolean matches = expected.count() == 0 || expected.hasHash(found);
        return isZero(target, hole, expected.to()) && matches;
    }

    /**
     * Hashes a range of a source whose data are not written, to verify that the copy reads the same: it shares its data
     * with the source, or existed before.
     */
    public DataHash.Extents hashSource(SourceFile source, long from, long to)
            throws SystemCallException, WithdrawnException {
        DataHash.Extents extents = new DataHash.Extents(from, to);
        if (hash != null && to > from) {
            hash.reset();
            extents.add(from, to);
            hashRange(hash, source, from, to);
            extents.setHash(hash.finish());
        }
        return extents;
    }

    private boolean hashRange(DataHash digest, StoredFile target, long from, long to)
            throws SystemCallException, WithdrawnException {
        for (long at = from; at < to;) {
            MemorySegment data = readBack(target, at, to);
            if (data.byteSize() == 0) {
                return false;
            }
            digest.update(data);
            at += data.byteSize();
        }
        return true;
    }

    // A hole must still be a hole, or zeros.
    private boolean isZero(StoredFile target, long from, long to) throws SystemCallException, WithdrawnException {
        long at = from;
        while (at < to) {
            long data = nextData(target, at);
            if (data == StoredFile.NO_DATA || data >= to) {
                return true;
            }
            at = data == StoredFile.UNKNOWN ? at : data;
            MemorySegment read = readBack(target, at, to);
            if (read.byteSize() == 0 || !ZeroBlocks.areZeros(read)) {
                return false;
            }
            at += read.byteSize();
        }
        return true;
    }

    // If the store cannot report holes, the range is read.
    private static long nextData(StoredFile target, long at) {
        try {
            return target.nextData(at);
        } catch (SystemCallException e) {
            return StoredFile.UNKNOWN;
        }
    }

    private MemorySegment readBack(StoredFile target, long at, long to) throws SystemCallException, WithdrawnException {
        if (control.isStopped()) {
            throw new WithdrawnException();
        }
        MemorySegment data = buffer.asSlice(0, Math.min(buffer.byteSize(), to - at));
        long n = target.readFully(data, at);
        return n == data.byteSize() ? data : data.asSlice(0, n);
    }
}
