// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.options;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/** Builds {@link CopyOptions}. Not safe for several threads. */
public final class CopyOptionsBuilder {
    boolean recursive;
    Symlinks symlinks = Symlinks.ALWAYS;
    Set<Preserve> preserve = EnumSet.noneOf(Preserve.class);
    Set<Preserve> required = EnumSet.noneOf(Preserve.class);
    CopyOptions.Existing existing = CopyOptions.Existing.REPLACE;
    boolean removeDestination;
    boolean force;
    Backup backup = Backup.none();
    CopyOptions.Form form = CopyOptions.Form.COPY;
    @Nullable Predicate<ByteString> confirmation;
    boolean copyContents;
    boolean newModes;
    boolean inPlace;
    boolean takesNames;
    boolean attributesOnly;
    @Nullable Expectation expectation;
    boolean oneFileSystem;
    EntryFilter filter = EntryFilter.none();
    FileQuery where = FileQuery.all();
    int threads;
    long chunkBytes = 64L << 20;
    CopyOptions.Verify verify = CopyOptions.Verify.NONE;
    boolean dryRun;
    boolean reportDone;
    boolean fsync;
    boolean direct;
    CopyOptions.When reflink = CopyOptions.When.AUTO;
    CopyOptions.When sparse = CopyOptions.When.AUTO;
    long bandwidth;

    CopyOptionsBuilder() {}

    /** Sets whether directories are copied. */
    public CopyOptionsBuilder recursive(boolean value) {
        recursive = value;
        return this;
    }

    /** Sets which links are followed. */
    public CopyOptionsBuilder symlinks(Symlinks value) {
        symlinks = value;
        return this;
    }

    /** Sets the attributes to preserve where possible. */
    public CopyOptionsBuilder preserve(Collection<Preserve> value) {
        preserve = value.isEmpty() ? EnumSet.noneOf(Preserve.class) : EnumSet.copyOf(value);
        return this;
    }

    /** Sets the attributes whose loss is an error; they must be among the preserved ones. */
    public CopyOptionsBuilder required(Collection<Preserve> value) {
        required = value.isEmpty() ? EnumSet.noneOf(Preserve.class) : EnumSet.copyOf(value);
        return this;
    }

    /** Sets how existing entries are handled. */
    public CopyOptionsBuilder existing(CopyOptions.Existing value) {
        existing = value;
        return this;
    }

    /** Sets whether existing entries are unlinked first. */
    public CopyOptionsBuilder removeDestination(boolean value) {
        removeDestination = value;
        return this;
    }

    /**
     * Sets whether a link that cannot be written through is unlinked, and whether links replace existing entries.
     */
    public CopyOptionsBuilder force(boolean value) {
        force = value;
        return this;
    }

    /** Sets how replaced files are backed up; with backups, nothing is unlinked first or overwritten in place. */
    public CopyOptionsBuilder backup(Backup value) {
        backup = value;
        return this;
    }

    /** Sets whether links are created instead of copies. */
    public CopyOptionsBuilder form(CopyOptions.Form value) {
        form = value;
        return this;
    }

    /**
     * Sets the function to ask, with the target path, before anything at the destination is replaced or written to.
     * Called on any of the threads that copy.
     */
    public CopyOptionsBuilder confirmation(Predicate<ByteString> value) {
        confirmation = value;
        return this;
    }

    /** Sets whether the data of FIFOs and devices are copied. */
    public CopyOptionsBuilder copyContents(boolean value) {
        copyContents = value;
        return this;
    }

    /** Sets whether the source's modes are ignored. */
    public CopyOptionsBuilder newModes(boolean value) {
        newModes = value;
        return this;
    }

    /** Sets whether existing files are overwritten in place. */
    public CopyOptionsBuilder inPlace(boolean value) {
        inPlace = value;
        return this;
    }

    /**
     * Sets whether a copy of a file takes the name of an existing link, FIFO, socket or device, as by a rename, instead
     * of being written through it. The existing entry stays until the copy is complete.
     */
    @Internal
    public CopyOptionsBuilder takesNames(boolean value) {
        takesNames = value;
        return this;
    }

    /** Sets whether only metadata are copied. */
    public CopyOptionsBuilder attributesOnly(boolean value) {
        attributesOnly = value;
        return this;
    }

    /** Sets that only metadata are copied, to existing files that pass a check. */
    @Internal
    public CopyOptionsBuilder attributesOf(Expectation value) {
        expectation = value;
        return attributesOnly(true);
    }

    /** Sets whether the copy stays on the file systems of the roots. */
    public CopyOptionsBuilder oneFileSystem(boolean value) {
        oneFileSystem = value;
        return this;
    }

    /** Sets the conditions that entries other than directories must meet. */
    public CopyOptionsBuilder where(FileQuery value) {
        where = value;
        return this;
    }

    /** Sets the filter for entries to skip. */
    public CopyOptionsBuilder filter(EntryFilter value) {
        filter = value;
        return this;
    }

    /** Sets the number of threads, 1 to {@link WalkOptions#MAX_THREADS}, or 0 for the copy's own choice. */
    public CopyOptionsBuilder threads(int value) {
        threads = value;
        return this;
    }

    /** Sets the chunk size, 1 MiB or more; larger files are cut into chunks. */
    public CopyOptionsBuilder chunkBytes(long value) {
        chunkBytes = value;
        return this;
    }

    /** Sets how data are verified. */
    public CopyOptionsBuilder verify(CopyOptions.Verify value) {
        verify = value;
        return this;
    }

    /** Sets whether nothing is written. */
    public CopyOptionsBuilder dryRun(boolean value) {
        dryRun = value;
        return this;
    }

    /** Sets whether an event is sent for each entry. */
    public CopyOptionsBuilder reportDone(boolean value) {
        reportDone = value;
        return this;
    }

    /** Sets whether files and directories are synced. */
    public CopyOptionsBuilder fsync(boolean value) {
        fsync = value;
        return this;
    }

    /** Sets whether large files bypass the page cache. */
    public CopyOptionsBuilder direct(boolean value) {
        direct = value;
        return this;
    }

    /** Sets when data are shared with the source. */
    public CopyOptionsBuilder reflink(CopyOptions.When value) {
        reflink = value;
        return this;
    }

    /** Sets when holes are created. */
    public CopyOptionsBuilder sparse(CopyOptions.When value) {
        sparse = value;
        return this;
    }

    /** Sets the limit in bytes per second; 0 for none. */
    public CopyOptionsBuilder bandwidth(long value) {
        bandwidth = value;
        return this;
    }

    CopyOptionsBuilder copy() {
        CopyOptionsBuilder b = new CopyOptionsBuilder();
        b.recursive = recursive;
        b.symlinks = symlinks;
        b.preserve = EnumSet.copyOf(preserve);
        b.required = EnumSet.copyOf(required);
        b.existing = existing;
        b.removeDestination = removeDestination;
        b.force = force;
        b.backup = backup;
        b.form = form;
        b.confirmation = confirmation;
        b.copyContents = copyContents;
        b.newModes = newModes;
        b.inPlace = inPlace;
        b.takesNames = takesNames;
        b.attributesOnly = attributesOnly;
        b.expectation = expectation;
        b.oneFileSystem = oneFileSystem;
        b.filter = filter;
        b.where = where;
        b.threads = threads;
        b.chunkBytes = chunkBytes;
        b.verify = verify;
        b.dryRun = dryRun;
        b.reportDone = reportDone;
        b.fsync = fsync;
        b.direct = direct;
        b.reflink = reflink;
        b.sparse = sparse;
        b.bandwidth = bandwidth;
        return b;
    }

    /**
     * Returns the options.
     *
     * @throws IllegalArgumentException if a number is out of its range or two options contradict each other
     */
    public CopyOptions build() {
        WalkOptions.checkThreads(threads);
        if (chunkBytes < 1 << 20) {
            throw new IllegalArgumentException("--chunk-size must be 1 MiB or more, not " + chunkBytes + " bytes");
        }
        if (bandwidth < 0) {
            throw new IllegalArgumentException("negative bandwidth: " + bandwidth);
        }
        if (reflink == CopyOptions.When.ALWAYS && sparse != CopyOptions.When.AUTO) {
            throw new IllegalArgumentException(
                    "--reflink=always needs --sparse=auto, because it shares holes unchanged");
        }
        if (inPlace && removeDestination) {
            throw new IllegalArgumentException("--in-place and --remove-destination cannot be combined");
        }
        if (backup.isMade() && existing == CopyOptions.Existing.SKIP) {
            throw new IllegalArgumentException(
                    "--backup and --no-clobber cannot be combined: without replaced files there is nothing to back up");
        }
        if (!preserve.containsAll(required)) {
            throw new IllegalArgumentException("required but not preserved: " + required);
        }
        return new CopyOptions(copy());
    }
}
