// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.DirectoryMetadata;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.copy.target.TemporarySweeper;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.threads.ParallelLoop;

/**
 * Gives the directories of a transfer their metadata. Each directory arrives after everything below it. They are
 * processed in slices: within a slice the deepest first, all of the same depth at once. A root whose copy contains
 * other copies, or whose target is shared with others, waits for the roots before it.
 */
final class DirectoryFinisher {

    // Each directory takes about 500 bytes while it is processed, so a slice takes 2 MB however many directories there
    // are.
    private static final int SLICE = 4096;

    // A directory takes some ten calls; starting a thread takes as long as some ten directories.
    private static final int LEAST_FOR_THREADS = 64;

    private record Item(FinalDirectory directory, TransferTrees.Sides sides) {}

    private final CopyContext context;
    private final TransferTrees trees;
    private final ParallelLoop loop;
    private final Cancellation cancellation;
    private final BitSet merged;

    /**
     * Creates a finisher.
     *
     * @param merged the roots whose copies contain other copies, or that share their target with others
     */
    DirectoryFinisher(CopyContext context, TransferTrees trees, ParallelLoop loop, Cancellation cancellation,
            BitSet merged) {
        this.merged = merged;
        this.context = context;
        this.trees = trees;
        this.loop = loop;
        this.cancellation = cancellation;
    }

    /**
     * Finishes the directories and returns whether all are done.
     *
     * @param done gets the number of directories of each slice, once all of them are done or have failed
     */
    boolean finish(Iterator<FinalDirectory> directories, IntConsumer done) {
        FinalDirectory next = directories.hasNext() ? directories.next() : null;
        while (next != null) {
            SortedMap<Integer, List<Item>> slice = new TreeMap<>(Comparator.reverseOrder());
            int root = next.root();
            int taken = 0;
            for (int i = 0; i < SLICE && next != null && (next.root() == root || !merged.get(next.root())); i++) {
                FinalDirectory directory = next;
                root = directory.root();
                slice.computeIfAbsent(directory.path().depth(), depth -> new ArrayList<>())
                        .add(new Item(directory, trees.directory(directory.root(), directory.path())));
                next = directories.hasNext() ? directories.next() : null;
                taken++;
            }
            for (List<Item> ofOneDepth : slice.values()) {
                if (cancellation.isCancelled()) {
                    return false;
                }
                loop.each(ofOneDepth, LEAST_FOR_THREADS, access -> new Worker(access)::finish);
            }
            trees.forget();
            if (!cancellation.isCancelled()) {
                done.accept(taken);
            }
        }
        return !cancellation.isCancelled();
    }

    /** The state of a directory before the first attempt changed it, because later attempts cannot see that state. */
    private static final class Opened {
        private boolean isMade;
        private @Nullable TargetDirectory before;
    }

    private final class Worker {
        private final FileAccess access;
        private final DirectoryMetadata finisher;
        private final TemporarySweeper sweeper;

        Worker(FileAccess access) {
            this.access = access;
            this.finisher = new DirectoryMetadata(context, access, new MetadataWriter(context.metadata(), access));
            this.sweeper = context.sweeper(access);
        }

        void finish(Item item) {
            if (cancellation.isCancelled()) {
                return;
            }
            FinalDirectory directory = item.directory();
            Opened opened = new Opened();
            finisher.finish(directory.root(), directory.path(), null, item.sides()::sourceOrThrow,
                    !directory.isIncomplete(), () -> open(directory, item.sides().targetOrThrow(), opened));
        }

        // Returns the directory with the mode that it had before the transfer.
        private TargetDirectory open(FinalDirectory directory, Directory target, Opened opened)
                throws SystemCallException {
            if (opened.before != null) {
                target.acquire(access);
                return opened.before;
            }
            if (TransferTrees.make(context, target, access)) {
                opened.isMade = true;
            }
            sweeper.sweep(target);
            FileStatus status = target.open(access);
            try {
                // Another file system may be mounted there, which must be synced as well.
                context.entered(status, target.descriptor());
                TargetDirectory before = asBefore(directory, target, status, opened.isMade || !directory.wasThere());
                target.acquire(access);
                opened.before = before;
                return before;
            } finally {
                target.release();
            }
        }

        // A new directory may have inherited ACLs from its parent.
        private TargetDirectory asBefore(FinalDirectory directory, Directory target, FileStatus status, boolean isNew)
                throws SystemCallException {
            int descriptor = target.descriptor();
            ByteString defaultAcl = TargetDirectory.defaultAcl(access, descriptor);
            if (!isNew) {
                boolean isWidened = status.permissions() != directory.modeBefore();
                return new TargetDirectory(target, withPermissions(status, directory.modeBefore()), false, defaultAcl,
                        false, isWidened);
            }
            if (defaultAcl == null || !context.preserves(Preserve.ACL)) {
                return new TargetDirectory(target, status, true, defaultAcl, false, false);
            }
            // The default ACL last: while it is there, another attempt removes both.
            ExtendedAttributes.remove(access, descriptor, ExtendedAttributes.ACL_ACCESS);
            ExtendedAttributes.remove(access, descriptor, ExtendedAttributes.ACL_DEFAULT);
            return new TargetDirectory(target, access.status(descriptor), true, null, false, false);
        }
    }

    private static FileStatus withPermissions(FileStatus s, int permissions) {
        int mode = EntryKind.DIRECTORY.typeBits() | permissions;
        return new FileStatus(mode, s.uid(), s.gid(), s.linkCount(), s.inode(), s.device(), s.specialDevice(), s.size(),
                s.blocks(), s.atimeSeconds(), s.atimeNanos(), s.mtimeSeconds(), s.mtimeNanos(), s.ctimeSeconds(),
                s.ctimeNanos(), s.hasBirthTime(), s.btimeSeconds(), s.btimeNanos());
    }
}
