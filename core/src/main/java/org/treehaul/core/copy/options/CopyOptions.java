// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.options;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/** The options of a copy. Immutable; created by a {@link CopyOptionsBuilder}. */
public final class CopyOptions {

    /** Handling of an existing entry under the target name, other than a directory. */
    public enum Existing {
        /** A regular file is replaced atomically by the whole copy; a device or FIFO is written to; see the guide. */
        REPLACE,
        /** It stays, and the source is skipped: {@code cp -n}. */
        SKIP,
        /** It stays unless the source's mtime is newer: {@code cp -u}. */
        UPDATE
    }

    /** The result for an entry that is not a directory. */
    public enum Form {
        /** A copy. */
        COPY,
        /** A hard link to it: {@code cp -l}. */
        HARD_LINK,
        /** A symbolic link that contains its path: {@code cp -s}. */
        SYMBOLIC_LINK
    }

    /** When to use a feature that not every file system supports. */
    public enum When {
        /** If it is possible and faster. */
        AUTO,
        /** For every file; a file for which it is impossible fails. */
        ALWAYS,
        /** Never. */
        NEVER
    }

    /** How the data of copies are verified by reading them back. */
    public enum Verify {
        /** Not read back. */
        NONE,
        /** With XXH3-128, which detects every accidental change. */
        XXH3,
        /** With SHA-256, which also resists deliberate changes. */
        SHA256
    }

    private final CopyOptionsBuilder set;

    CopyOptions(CopyOptionsBuilder set) {
        this.set = set;
    }

    /** Returns a builder with the defaults of cp without options: no recursion, links followed, nothing preserved. */
    public static CopyOptionsBuilder builder() {
        return new CopyOptionsBuilder();
    }

    /**
     * Returns a builder with the defaults of {@code cp -a}: recursive, no link followed, everything preserved where
     * possible.
     */
    public static CopyOptionsBuilder archive() {
        return builder().recursive(true).symlinks(Symlinks.NEVER).preserve(EnumSet.allOf(Preserve.class));
    }

    /** Returns a builder that begins with these options. */
    public CopyOptionsBuilder toBuilder() {
        return set.copy();
    }

    /** Returns whether directories are copied, with everything below them. */
    public boolean recursive() {
        return set.recursive;
    }

    /** Returns which symbolic links of the source are followed. */
    public Symlinks symlinks() {
        return set.symlinks;
    }

    /** Returns the attributes to preserve. */
    public Set<Preserve> preserve() {
        return Collections.unmodifiableSet(set.preserve);
    }

    /** Returns the attributes requested by name, so that failing to preserve them is an error and not a notice. */
    public Set<Preserve> required() {
        return Collections.unmodifiableSet(set.required);
    }

    /** Returns whether an attribute is preserved. */
    public boolean preserves(Preserve what) {
        return set.preserve.contains(what);
    }

    /** Returns whether failing to preserve an attribute is an error, because it was requested by name. */
    public boolean requires(Preserve what) {
        return set.required.contains(what);
    }

    /** Returns how existing entries under target names are handled. */
    public Existing existing() {
        return set.existing;
    }

    /** Returns whether an existing entry under a target name is unlinked first. */
    public boolean removeDestination() {
        return set.removeDestination && !set.backup.isMade();
    }

    /** Returns how files are backed up that a copy replaces. */
    public Backup backup() {
        return set.backup;
    }

    /** Returns the result for entries that are not directories. */
    public Form form() {
        return set.form;
    }

    /**
     * Returns the function to ask, with the target path, before anything at the destination is replaced or written to.
     */
    public Optional<Predicate<ByteString>> confirmation() {
        return Optional.ofNullable(set.confirmation);
    }

    /** Returns whether the data of FIFOs and devices are copied in a recursive copy too. */
    public boolean copyContents() {
        return set.copyContents;
    }

    /** Returns whether new entries get the mode of any new file under the umask if modes are not preserved. */
    public boolean newModes() {
        return set.newModes;
    }

    /**
     * Returns whether the data of an entry are copied even if it is not a regular file: for a root, or for any entry.
     */
    public boolean isStream(boolean isRoot, EntryKind kind) {
        return kind != EntryKind.SYMLINK && (copyContents() || isRoot && !recursive());
    }

    /**
     * Returns whether a symbolic link under a target name that cannot be written through is unlinked, and whether links
     * replace existing entries; copies always do.
     */
    public boolean force() {
        return set.force;
    }

    /** Returns whether an existing regular file keeps its inode and is overwritten, as cp does. */
    public boolean inPlace() {
        return set.inPlace && !set.backup.isMade();
    }

    /** Returns whether a copy takes the name of an existing entry instead of being written through it. */
    @Internal
    public boolean takesNames() {
        return set.takesNames;
    }

    /** Returns the check of files that get only attributes; one that fails it, or is missing, counts as changed. */
    @Internal
    public Optional<Expectation> expectation() {
        return Optional.ofNullable(set.expectation);
    }

    /** Returns whether only metadata are copied, no data. */
    public boolean attributesOnly() {
        return set.attributesOnly;
    }

    /** Returns whether directories on other file systems than their root are created but not entered. */
    public boolean oneFileSystem() {
        return set.oneFileSystem;
    }

    /**
     * Returns the conditions that entries must meet. Entries that do not are skipped, except directories, because
     * entries in them may meet the conditions.
     */
    public FileQuery where() {
        return set.where;
    }

    /** Returns the filter for entries to skip. */
    public EntryFilter filter() {
        return set.filter;
    }

    /** Returns the options of a walk that finds the entries to copy; the number of threads is its own choice. */
    @Internal
    public WalkOptions walk() {
        return WalkOptions.defaults()
                .withSymlinks(symlinks())
                .withOneFileSystem(oneFileSystem())
                .withFilter(filter())
                .withWhere(where());
    }

    /** Returns the number of threads, 0 for the copy's own choice. */
    public int threads() {
        return set.threads;
    }

    /**
     * Returns the chunk size in bytes. Larger files are cut into chunks, which several threads copy; on local file
     * systems one thread copies them, because others would only wait for it, and several verify them.
     */
    public long chunkBytes() {
        return set.chunkBytes;
    }

    /** Returns how data are verified. */
    public Verify verify() {
        return set.verify;
    }

    /** Returns whether nothing is written and events report the work that would be done. */
    public boolean dryRun() {
        return set.dryRun;
    }

    /** Returns whether an event is sent for each entry that is done. */
    public boolean reportDone() {
        return set.reportDone;
    }

    /** Returns whether every file is synced before it gets its name, and directories at the end. */
    public boolean fsync() {
        return set.fsync;
    }

    /**
     * Returns whether the data of files of 1 MiB or more are read and written past the page cache (O_DIRECT), where the
     * file systems allow it.
     */
    public boolean direct() {
        return set.direct;
    }

    /** Returns when data are shared with the source (FICLONE). */
    public When reflink() {
        return set.reflink;
    }

    /**
     * Returns when holes are created: AUTO keeps those of the source, ALWAYS also turns every block of zeros into one.
     */
    public When sparse() {
        return set.sparse;
    }

    /** Returns the limit in bytes per second over all threads, 0 for none. */
    public long bandwidth() {
        return set.bandwidth;
    }
}
