// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.options;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/** The options of a copy. Immutable; created by a {@link Builder}. */
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

    private final Builder set;

    private CopyOptions(Builder set) {
        this.set = set;
    }

    /** Returns a builder with the defaults of cp without options: no recursion, links followed, nothing preserved. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns a builder with the defaults of {@code cp -a}: recursive, no link followed, everything preserved where
     * possible.
     */
    public static Builder archive() {
        return builder().recursive(true).symlinks(Symlinks.NEVER).preserve(EnumSet.allOf(Preserve.class));
    }

    /** Returns a builder that begins with these options. */
    public Builder toBuilder() {
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

    /** Builds {@link CopyOptions}. Not safe for several threads. */
    public static final class Builder {
        private boolean recursive;
        private Symlinks symlinks = Symlinks.ALWAYS;
        private Set<Preserve> preserve = EnumSet.noneOf(Preserve.class);
        private Set<Preserve> required = EnumSet.noneOf(Preserve.class);
        private Existing existing = Existing.REPLACE;
        private boolean removeDestination;
        private boolean force;
        private Backup backup = Backup.none();
        private Form form = Form.COPY;
        private @Nullable Predicate<ByteString> confirmation;
        private boolean copyContents;
        private boolean newModes;
        private boolean inPlace;
        private boolean takesNames;
        private boolean attributesOnly;
        private @Nullable Expectation expectation;
        private boolean oneFileSystem;
        private EntryFilter filter = EntryFilter.none();
        private FileQuery where = FileQuery.all();
        private int threads;
        private long chunkBytes = 64L << 20;
        private Verify verify = Verify.NONE;
        private boolean dryRun;
        private boolean reportDone;
        private boolean fsync;
        private When reflink = When.AUTO;
        private When sparse = When.AUTO;
        private long bandwidth;

        private Builder() {}

        /** Sets whether directories are copied. */
        public Builder recursive(boolean value) {
            recursive = value;
            return this;
        }

        /** Sets which links are followed. */
        public Builder symlinks(Symlinks value) {
            symlinks = value;
            return this;
        }

        /** Sets the attributes to preserve where possible. */
        public Builder preserve(Collection<Preserve> value) {
            preserve = value.isEmpty() ? EnumSet.noneOf(Preserve.class) : EnumSet.copyOf(value);
            return this;
        }

        /** Sets the attributes whose loss is an error; they must be among the preserved ones. */
        public Builder required(Collection<Preserve> value) {
            required = value.isEmpty() ? EnumSet.noneOf(Preserve.class) : EnumSet.copyOf(value);
            return this;
        }

        /** Sets how existing entries are handled. */
        public Builder existing(Existing value) {
            existing = value;
            return this;
        }

        /** Sets whether existing entries are unlinked first. */
        public Builder removeDestination(boolean value) {
            removeDestination = value;
            return this;
        }

        /**
         * Sets whether a link that cannot be written through is unlinked, and whether links replace existing entries.
         */
        public Builder force(boolean value) {
            force = value;
            return this;
        }

        /** Sets how replaced files are backed up; with backups, nothing is unlinked first or overwritten in place. */
        public Builder backup(Backup value) {
            backup = value;
            return this;
        }

        /** Sets whether links are created instead of copies. */
        public Builder form(Form value) {
            form = value;
            return this;
        }

        /**
         * Sets the function to ask, with the target path, before anything at the destination is replaced or written to.
         * Called on any of the threads that copy.
         */
        public Builder confirmation(Predicate<ByteString> value) {
            confirmation = value;
            return this;
        }

        /** Sets whether the data of FIFOs and devices are copied. */
        public Builder copyContents(boolean value) {
            copyContents = value;
            return this;
        }

        /** Sets whether the source's modes are ignored. */
        public Builder newModes(boolean value) {
            newModes = value;
            return this;
        }

        /** Sets whether existing files are overwritten in place. */
        public Builder inPlace(boolean value) {
            inPlace = value;
            return this;
        }

        /**
         * Sets whether a copy of a file takes the name of an existing link, FIFO, socket or device, as by a rename,
         * instead of being written through it. The existing entry stays until the copy is complete.
         */
        @Internal
        public Builder takesNames(boolean value) {
            takesNames = value;
            return this;
        }

        /** Sets whether only metadata are copied. */
        public Builder attributesOnly(boolean value) {
            attributesOnly = value;
            return this;
        }

        /** Sets that only metadata are copied, to existing files that pass a check. */
        @Internal
        public Builder attributesOf(Expectation value) {
            expectation = value;
            return attributesOnly(true);
        }

        /** Sets whether the copy stays on the file systems of the roots. */
        public Builder oneFileSystem(boolean value) {
            oneFileSystem = value;
            return this;
        }

        /** Sets the conditions that entries other than directories must meet. */
        public Builder where(FileQuery value) {
            where = value;
            return this;
        }

        /** Sets the filter for entries to skip. */
        public Builder filter(EntryFilter value) {
            filter = value;
            return this;
        }

        /** Sets the number of threads, 1 to {@link WalkOptions#MAX_THREADS}, or 0 for the copy's own choice. */
        public Builder threads(int value) {
            threads = value;
            return this;
        }

        /** Sets the chunk size, 1 MiB or more; larger files are cut into chunks. */
        public Builder chunkBytes(long value) {
            chunkBytes = value;
            return this;
        }

        /** Sets how data are verified. */
        public Builder verify(Verify value) {
            verify = value;
            return this;
        }

        /** Sets whether nothing is written. */
        public Builder dryRun(boolean value) {
            dryRun = value;
            return this;
        }

        /** Sets whether an event is sent for each entry. */
        public Builder reportDone(boolean value) {
            reportDone = value;
            return this;
        }

        /** Sets whether files and directories are synced. */
        public Builder fsync(boolean value) {
            fsync = value;
            return this;
        }

        /** Sets when data are shared with the source. */
        public Builder reflink(When value) {
            reflink = value;
            return this;
        }

        /** Sets when holes are created. */
        public Builder sparse(When value) {
            sparse = value;
            return this;
        }

        /** Sets the limit in bytes per second; 0 for none. */
        public Builder bandwidth(long value) {
            bandwidth = value;
            return this;
        }

        private Builder copy() {
            Builder b = new Builder();
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
            if (threads < 0 || threads > WalkOptions.MAX_THREADS) {
                throw new IllegalArgumentException("threads must be 0 to " + WalkOptions.MAX_THREADS + ": " + threads);
            }
            if (chunkBytes < 1 << 20) {
                throw new IllegalArgumentException("chunks smaller than 1 MiB: " + chunkBytes);
            }
            if (bandwidth < 0) {
                throw new IllegalArgumentException("negative bandwidth: " + bandwidth);
            }
            if (reflink == When.ALWAYS && sparse != When.AUTO) {
                throw new IllegalArgumentException(
                        "--reflink=always needs --sparse=auto, because it shares holes unchanged");
            }
            if (inPlace && removeDestination) {
                throw new IllegalArgumentException("--in-place and --remove-destination exclude each other");
            }
            if (backup.isMade() && existing == Existing.SKIP) {
                throw new IllegalArgumentException(
                        "--backup and --no-clobber exclude each other: without replaced files there is nothing to back up");
            }
            if (!preserve.containsAll(required)) {
                throw new IllegalArgumentException("required but not preserved: " + required);
            }
            return new CopyOptions(copy());
        }
    }
}
