// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** A target for a {@link GeneratedTree} that keeps nothing but sums. Any number of threads may open it. */
public final class DiscardStore {

    private final LongAdder made = new LongAdder();
    private final LongAdder finished = new LongAdder();
    private final LongAdder files = new LongAdder();
    private final LongAdder numbers = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder links = new LongAdder();
    private final LongAdder discarded = new LongAdder();

    /**
     * The sums.
     *
     * @param numbers the sum of the numbers in committed files
     * @param bytes the sum of their sizes
     */
    public record Sums(long made, long finished, long files, long numbers, long bytes, long links, long discarded) {}

    /** Returns the sums so far. */
    public Sums sums() {
        return new Sums(made.sum(), finished.sum(), files.sum(), numbers.sum(), bytes.sum(), links.sum(),
                discarded.sum());
    }

    /** Opens the store for writing. */
    public TargetTree target() {
        return new Target();
    }

    private final class Target implements TargetTree {

        @Override
        public @Nullable FileStatus find(TreePath entry) {
            return null;
        }

        @Override
        public void makeDirectory(TreePath directory, FileStatus source) {
            made.increment();
        }

        @Override
        public void finishDirectory(TreePath directory, EntryMetadata source) {
            finished.increment();
        }

        @Override
        public NewFile create(TreePath file, EntryMetadata source) {
            return new Discarded(source.status());
        }

        @Override
        public void makeLink(TreePath link, ByteString target, EntryMetadata source) {
            links.increment();
        }

        @Override
        public void makeNode(TreePath node, EntryMetadata source) throws SystemCallException {
            throw new SystemCallException("mknod", Errno.EPERM);
        }

        @Override
        public void close() {
            // It holds nothing.
        }
    }

    private final class Discarded implements NewFile, TargetFile {
        private final FileStatus source;
        private long number = -1;
        private long written;

        Discarded(FileStatus source) {
            this.source = source;
        }

        @Override
        public TargetFile data() {
            return this;
        }

        @Override
        public FileStatus status() {
            return source;
        }

        @Override
        public long read(MemorySegment into, long offset) throws SystemCallException {
            throw new SystemCallException("read", Errno.EIO);
        }

        @Override
        public void write(MemorySegment data) {
            write(data, written);
        }

        @Override
        public void write(MemorySegment data, long offset) {
            if (offset == 0) {
                number = GeneratedTree.number(data);
            }
            written += data.byteSize();
        }

        @Override
        public void setSize(long size) {
            // What is written counts.
        }

        @Override
        public void commit() {
            files.increment();
            numbers.add(number);
            bytes.add(written);
        }

        @Override
        public void discard() {
            discarded.increment();
        }
    }
}
