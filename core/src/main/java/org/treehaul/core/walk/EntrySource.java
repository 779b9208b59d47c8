// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.TextCondition;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SeenStatuses;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.listing.DirectoryRecords;
import org.treehaul.core.walk.listing.PackedEntries;
import org.treehaul.core.walk.options.SelectedEntries;

/**
 * Where a walk gets the entries of a directory that a worker has open: the listing of the kernel, or a selection of
 * entries such as those of a batch. A source provides the entries in blocks and moves a {@link FoundEntry} from one to
 * the next, so that the walk handles the entries of all sources in the same way. The remaining entries of a block can
 * be divided; a part given away is walked by the same kind of source.
 *
 * <p>
 * Each worker has one instance of each kind for all directories. Used only by that worker's thread.
 *
 * @param <D> the type of the value that the handler attaches to each directory
 */
abstract sealed class EntrySource<D> {

    final FileAccess access;

    // The names of the current block in native memory, where system calls need them.
    final MemorySegment nativeBlock;

    // The same entries on the heap: reading single numbers from native memory costs the compiler too much at the start
    // of a run.
    byte[] entries = {};

    // The range of the entries that were not begun yet.
    int restStart;
    int restEnd;

    int descriptor;
    private @Nullable WalkDirectory<D> directory;

    EntrySource(FileAccess access) {
        this.access = access;
        this.nativeBlock = access.listing();
    }

    /** Begins with a directory, which must be open, before its first block. */
    void begin(WalkDirectory<D> opened) {
        directory = opened;
        descriptor = opened.handle().descriptor();
        restStart = 0;
        restEnd = 0;
    }

    /**
     * Takes a part that another worker {@linkplain #takeRange gave away}, or another rank's kernel listed, as the only
     * block.
     */
    abstract void use(byte[] part);

    /**
     * Gets the next block.
     *
     * @return whether there was one
     */
    abstract boolean load() throws SystemCallException;

    /**
     * Moves the cursor to the next entry.
     *
     * @return false for entries that the walk skips: {@code .}, {@code ..}, an unwanted one, or those that the handler
     *         has handled together
     */
    abstract boolean next(FoundEntry<D> found);

    /** Returns the end of the entry that begins at an offset. */
    abstract int endOf(int at);

    WalkDirectory<D> directory() {
        return Objects.requireNonNull(directory);
    }

    boolean hasRest() {
        return restStart < restEnd;
    }

    /** Returns where the entries begin that may be given away: those before were begun, or read ahead. */
    int givableStart() {
        return restStart;
    }

    /** Returns the end of the first entries that take at least the given number of bytes from an offset on. */
    int endAfter(int start, int bytes) {
        int end = start;
        while (end - start < bytes) {
            end = endOf(end);
        }
        return end;
    }

    /** Returns a range of the current block, as a part for another worker. */
    byte[] takeRange(int start, int end) {
        return Arrays.copyOfRange(entries, start, end);
    }

    /** The entries that the kernel lists, as records of getdents64(2). */
    static final class Listed<D> extends EntrySource<D> {

        private static final long TMPFS_MAGIC = 0x01021994; // linux/magic.h

        private final byte[] records = new byte[FileAccess.LISTING_BYTES];
        // The native block. The JVM compiles a copy out of a buffer to much less code than one between segments.
        private final ByteBuffer block;
        private final WorkerThread<D> worker;
        // Empty unless they can be checked before anything else.
        private final List<TextCondition> names;
        private final boolean hasNames;
        private boolean isFirst;
        // The entries whose statuses were read ahead: where their names begin, a bit for each that the handler has handled, how
        // many were passed, and the end of the last one's record.
        private final int[] aheadStarts = new int[SeenStatuses.MOST];
        private int aheadHandled;
        private int aheadPassed;
        private int aheadEnd;
        // The record that was handled last, and the end of the block, to see whether that record was the last one.
        private int lastAt;
        private int blockEnd;
        // The root whose file system is known to be, or not to be, a tmpfs.
        private int examinedRoot = -1;
        private boolean isTmpfs;

        /**
         * Creates an instance.
         *
         * @param names conditions on the names of wanted entries other than directories; the source skips regular files
         *        that do not meet them
         */
        Listed(WorkerThread<D> worker, List<TextCondition> names) {
            super(worker.access());
            this.worker = worker;
            this.names = names;
            this.hasNames = !names.isEmpty();
            block = nativeBlock.asByteBuffer();
            entries = records;
        }

        @Override
        void begin(WalkDirectory<D> opened) {
            super.begin(opened);
            isFirst = true;
            blockEnd = 0;
            aheadEnd = 0;
        }

        @Override
        void use(byte[] part) {
            block.put(0, part);
            System.arraycopy(part, 0, records, 0, part.length);
            restStart = 0;
            restEnd = part.length;
            aheadEnd = 0;
        }

        @Override
        boolean load() throws SystemCallException {
            // Only if no part of the block was given away.
            if (blockEnd > 0 && restStart == blockEnd
                    && (DirectoryRecords.isAtEnd(records, lastAt) || isAtEndOfTmpfs())) {
                return false;
            }
            int length = DirectoryRecords.read(access, descriptor, nativeBlock);
            if (length == -Errno.ESTALE && isFirst && isRenewed()) {
                length = DirectoryRecords.read(access, descriptor, nativeBlock);
            }
            isFirst = false;
            if (length < 0) {
                directory().markIncomplete();
                throw new SystemCallException("getdents64", -length);
            }
            block.get(0, records, 0, length);
            restStart = 0;
            restEnd = length;
            blockEnd = length;
            aheadEnd = 0;
            return length > 0;
        }

        // The file system is examined once for each root: one that is mounted deeper, and gives such a position to another
        // record, which is also the last one of its block, is not to be expected.
        private boolean isAtEndOfTmpfs() {
            if (!DirectoryRecords.isAtEndOfTmpfs(records, lastAt)) {
                return false;
            }
            int root = directory().rootIndex();
            if (root != examinedRoot) {
                examinedRoot = root;
                isTmpfs = access.fileSystemType(descriptor) == TMPFS_MAGIC;
            }
            return isTmpfs;
        }

        private boolean isRenewed() throws SystemCallException {
            Directory handle = directory().handle();
            try {
                boolean isRenewed = handle.renew(access);
                descriptor = handle.descriptor();
                return isRenewed;
            } catch (SystemCallException e) {
                directory().markIncomplete();
                throw e;
            }
        }

        @Override
        boolean next(FoundEntry<D> found) {
            int at = restStart;
            if (at >= aheadEnd && worker.readsAhead()) {
                readAhead();
            }
            if (passHandled()) {
                return false;
            }
            lastAt = at;
            restStart = at + DirectoryRecords.length(records, at);
            if (DirectoryRecords.isDots(records, at)) {
                return false;
            }
            if (hasNames && DirectoryRecords.isRegular(records, at) && !isNamed(at)) {
                worker.worked(1);
                return false;
            }
            if (at >= aheadEnd || !isReadAhead(at)) {
                found.setListed(directory(), descriptor, nativeBlock, records, at);
                return true;
            }
            found.setListed(directory(), descriptor, nativeBlock, records, at);
            found.setAhead(aheadPassed++);
            return true;
        }

        // Returns whether the next entries, if any, were handled.
        private boolean passHandled() {
            int at = restStart;
            int number = 0;
            while (at < aheadEnd && isReadAhead(at) && (aheadHandled >>> aheadPassed & 1) != 0) {
                lastAt = at;
                at = endOf(at);
                aheadPassed++;
                number++;
            }
            restStart = at;
            worker.worked(number);
            return number > 0;
        }

        private void readAhead() {
            SeenStatuses statuses = access.seen();
            int most = Math.min(statuses.most(), worker.mostAhead());
            int count = 0;
            int end = restStart;
            while (end < restEnd && count < most) {
                if (isReadAhead(end)) {
                    aheadStarts[count++] = end + DirectoryRecords.NAME;
                }
                end = endOf(end);
            }
            aheadEnd = end;
            aheadPassed = 0;
            aheadHandled = 0;
            if (count > 0) {
                if (worker.seesAhead()) {
                    statuses.readAhead(descriptor, nativeBlock, records, aheadStarts, count);
                } else {
                    statuses.takeAhead(nativeBlock, records, aheadStarts, count);
                }
                aheadHandled = worker.handleAhead(directory(), count);
            }
        }

        // The handler may have handled some of those that were read ahead.
        @Override
        int givableStart() {
            return restStart < aheadEnd && aheadHandled >>> aheadPassed != 0 ? aheadEnd : restStart;
        }

        // A directory may be a mount whose server does not answer, and the walk shows that it examines it. A file system that gives no
        // kinds gives none to . and .. either.
        private boolean isReadAhead(int at) {
            return !DirectoryRecords.isDirectory(records, at) && !DirectoryRecords.isDots(records, at);
        }

        private boolean isNamed(int at) {
            int start = at + DirectoryRecords.NAME;
            return FoundValues.isLike(records, start, start + DirectoryRecords.nameLength(records, at), names);
        }

        @Override
        int endOf(int at) {
            return at + DirectoryRecords.length(records, at);
        }
    }

    /**
     * The entries that a selection names alone in a directory, such as those of a batch, with their kinds and numbers.
     * The directory is not listed.
     */
    static final class Selected<D> extends EntrySource<D> {

        private final boolean followsAll;

        // Whether the entries are directories: others are never on the way to another entry, where a link would be
        // followed.
        private boolean mayFollow;

        // The current block begins at blockStart, the next one at blockEnd, whatever was given away.
        private int blockStart;
        private int blockEnd;
        private int end;

        /**
         * Creates an instance.
         *
         * @param followsAll whether the walk follows all symbolic links
         */
        Selected(FileAccess access, boolean followsAll) {
            super(access);
            this.followsAll = followsAll;
        }

        @Override
        void begin(WalkDirectory<D> opened) {
            super.begin(opened);
            if (!(opened.selection instanceof SelectedEntries selection)) {
                throw new IllegalStateException("no entries are selected in " + opened.handle());
            }
            mayFollow = selection.isOfDirectories();
            set(selection.entries().bytes(), selection.entries().length());
        }

        @Override
        void use(byte[] part) {
            set(part, part.length);
            load();
        }

        private void set(byte[] packed, int length) {
            entries = packed;
            end = length;
            blockEnd = 0;
        }

        @Override
        boolean load() {
            blockStart = blockEnd;
            while (blockEnd < end && endOf(blockEnd) - blockStart <= nativeBlock.byteSize()) {
                blockEnd = endOf(blockEnd);
            }
            MemorySegment.copy(MemorySegment.ofArray(entries), blockStart, nativeBlock, 0, blockEnd - blockStart);
            restStart = blockStart;
            restEnd = blockEnd;
            return restStart < restEnd;
        }

        @Override
        boolean next(FoundEntry<D> found) {
            int at = restStart;
            restStart = endOf(at);
            found.setAlone(directory(), descriptor, nativeBlock, at - blockStart, entries, at);
            if (followsAll || mayFollow && directory().follows(ByteString.of(found.nameBytes()))) {
                found.setFollowed();
            }
            return true;
        }

        @Override
        int endOf(int at) {
            return PackedEntries.end(entries, at);
        }
    }
}
