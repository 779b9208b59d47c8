// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.walk.EntryFilter;
import org.treehaul.core.walk.Symlinks;
import org.treehaul.core.walk.WalkOptions;

/** How a copy goes. Immutable; made by a {@link Builder}. */
public final class CopyOptions {

    /** What happens where an entry that is no directory stands already under the target name. */
    public enum Existing {
        /** A regular file is replaced by the whole copy at once; a device or FIFO is written to; see the guide. */
        REPLACE,
        /** It stays, and the source is skipped: {@code cp -n}. */
        SKIP,
        /** It stays unless the source's mtime is newer: {@code cp -u}. */
        UPDATE
    }

    /** What is made of an entry that is no directory. */
    public enum Form {
        /** A copy. */
        COPY,
        /** A hard link to it: {@code cp -l}. */
        HARD_LINK,
        /** A symbolic link that holds its path: {@code cp -s}. */
        SYMBOLIC_LINK
    }

    /** When something is done that not every file system can do. */
    public enum When {
        /** Where it can be done and wins. */
        AUTO,
        /** For every file; one where it cannot be done fails. */
        ALWAYS,
        /** For none. */
        NEVER
    }

    /** How the data of a copy are proved by reading them back. */
    public enum Verify {
        /** Not read back. */
        NONE,
        /** By XXH3-128: finds every accident. */
        XXH3,
        /** By SHA-256: stands against intent too. */
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
     * Returns a builder with the defaults of {@code cp -a}: recursive, no link followed, all preserved where possible.
     */
    public static Builder archive() {
        return builder().recursive(true).symlinks(Symlinks.NEVER).preserve(EnumSet.allOf(Preserve.class));
    }

    /** Returns a builder that begins with these options. */
    public Builder toBuilder() {
        return set.copy();
    }

    /** Whether directories are copied, with all below them. */
    public boolean recursive() {
        return set.recursive;
    }

    /** Which symbolic links of the source are followed. */
    public Symlinks symlinks() {
        return set.symlinks;
    }

    /** What is carried over. */
    public Set<Preserve> preserve() {
        return Collections.unmodifiableSet(set.preserve);
    }

    /** What was asked for by name, so that failing to carry it over is an error and not a notice. */
    public Set<Preserve> required() {
        return Collections.unmodifiableSet(set.required);
    }

    /** What happens to what stands under a target name already. */
    public Existing existing() {
        return set.existing;
    }

    /** Whether what stands under a target name is unlinked first. */
    public boolean removeDestination() {
        return set.removeDestination && !set.backup.isMade();
    }

    /** The name that something gets which a copy takes the place of. */
    public Backup backup() {
        return set.backup;
    }

    /** What is made of entries that are no directories. */
    public Form form() {
        return set.form;
    }

    /** What is asked, with its path, before something at the destination is replaced or written to. */
    public Optional<Predicate<ByteString>> confirmation() {
        return Optional.ofNullable(set.confirmation);
    }

    /** Whether FIFOs and devices are read and their data copied in a recursive copy, too. */
    public boolean copyContents() {
        return set.copyContents;
    }

    /** Whether what is new gets the mode of any new file under the umask, where modes are not preserved. */
    public boolean newModes() {
        return set.newModes;
    }

    /** Whether the data of an entry are copied although it is no regular file: one of a root, or of any. */
    boolean isStream(boolean isRoot, EntryKind kind) {
        return kind != EntryKind.SYMLINK && (copyContents() || isRoot && !recursive());
    }

    /**
     * Whether a symbolic link under a target name that cannot be written through is unlinked, and whether links take
     * the place of what is there; copies do in any case.
     */
    public boolean force() {
        return set.force;
    }

    /** Whether a regular file under a target name keeps its inode and is overwritten, as cp does. */
    public boolean inPlace() {
        return set.inPlace && !set.backup.isMade();
    }

    /** Whether only metadata are copied, no data. */
    public boolean attributesOnly() {
        return set.attributesOnly;
    }

    /** Whether directories on other file systems than their root are made but not entered. */
    public boolean oneFileSystem() {
        return set.oneFileSystem;
    }

    /** What is passed over. */
    public EntryFilter filter() {
        return set.filter;
    }

    /** Number of threads, 0 for the copy's own choice. */
    public int threads() {
        return set.threads;
    }

    /**
     * Files larger than this are cut into chunks of this many bytes, which several threads copy; on local file systems
     * one thread does, as others would only wait for it, and several read back.
     */
    public long chunkBytes() {
        return set.chunkBytes;
    }

    /** How data are proved. */
    public Verify verify() {
        return set.verify;
    }

    /** Whether nothing is written and what would be done is told in events. */
    public boolean dryRun() {
        return set.dryRun;
    }

    /** Whether an event is sent for each entry that is done. */
    public boolean reportDone() {
        return set.reportDone;
    }

    /** Whether every file is synced before it gets its name, and directories at the end. */
    public boolean fsync() {
        return set.fsync;
    }

    /** Whether data are shared with the source (FICLONE). */
    public When reflink() {
        return set.reflink;
    }

    /** Whether holes are made: AUTO keeps those of the source, ALWAYS makes one of every block of zeros as well. */
    public When sparse() {
        return set.sparse;
    }

    /** Limit of bytes a second over all threads, 0 for none. */
    public long bandwidth() {
        return set.bandwidth;
    }

    /** Makes {@link CopyOptions}. Not safe for several threads. */
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
        private boolean attributesOnly;
        private boolean oneFileSystem;
        private EntryFilter filter = EntryFilter.none();
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

        /** Copies directories. */
        public Builder recursive(boolean value) {
            recursive = value;
            return this;
        }

        /** Follows links. */
        public Builder symlinks(Symlinks value) {
            symlinks = value;
            return this;
        }

        /** Carries over where possible. */
        public Builder preserve(Collection<Preserve> value) {
            preserve = value.isEmpty() ? EnumSet.noneOf(Preserve.class) : EnumSet.copyOf(value);
            return this;
        }

        /** Counts it an error where one of these, which must be among the preserved, cannot be carried over. */
        public Builder required(Collection<Preserve> value) {
            required = value.isEmpty() ? EnumSet.noneOf(Preserve.class) : EnumSet.copyOf(value);
            return this;
        }

        /** Chooses what happens to what is there. */
        public Builder existing(Existing value) {
            existing = value;
            return this;
        }

        /** Unlinks what is there first. */
        public Builder removeDestination(boolean value) {
            removeDestination = value;
            return this;
        }

        /** Unlinks a link that cannot be written through, and puts links in the place of what is there. */
        public Builder force(boolean value) {
            force = value;
            return this;
        }

        /** Keeps what a copy takes the place of under another name; then nothing is unlinked or overwritten. */
        public Builder backup(Backup value) {
            backup = value;
            return this;
        }

        /** Makes links in place of copies. */
        public Builder form(Form value) {
            form = value;
            return this;
        }

        /**
         * Asks before anything at the destination, with its path there, is replaced or written to. Called on any of the
         * threads that copy.
         */
        public Builder confirmation(Predicate<ByteString> value) {
            confirmation = value;
            return this;
        }

        /** Copies the data of FIFOs and devices. */
        public Builder copyContents(boolean value) {
            copyContents = value;
            return this;
        }

        /** Leaves the source's modes out. */
        public Builder newModes(boolean value) {
            newModes = value;
            return this;
        }

        /** Overwrites what is there in place. */
        public Builder inPlace(boolean value) {
            inPlace = value;
            return this;
        }

        /** Copies no data. */
        public Builder attributesOnly(boolean value) {
            attributesOnly = value;
            return this;
        }

        /** Stays on the file systems of the roots. */
        public Builder oneFileSystem(boolean value) {
            oneFileSystem = value;
            return this;
        }

        /** Passes over what the filter excludes. */
        public Builder filter(EntryFilter value) {
            filter = value;
            return this;
        }

        /** Uses this many threads, 1 to {@link WalkOptions#MAX_THREADS}, or 0 for a choice of its own. */
        public Builder threads(int value) {
            threads = value;
            return this;
        }

        /** Cuts files larger than this into chunks, 1 MiB or more. */
        public Builder chunkBytes(long value) {
            chunkBytes = value;
            return this;
        }

        /** Reads back. */
        public Builder verify(Verify value) {
            verify = value;
            return this;
        }

        /** Writes nothing. */
        public Builder dryRun(boolean value) {
            dryRun = value;
            return this;
        }

        /** Sends an event for each entry. */
        public Builder reportDone(boolean value) {
            reportDone = value;
            return this;
        }

        /** Syncs. */
        public Builder fsync(boolean value) {
            fsync = value;
            return this;
        }

        /** Shares data. */
        public Builder reflink(When value) {
            reflink = value;
            return this;
        }

        /** Makes holes. */
        public Builder sparse(When value) {
            sparse = value;
            return this;
        }

        /** Limits bytes a second; 0 for no limit. */
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
            b.attributesOnly = attributesOnly;
            b.oneFileSystem = oneFileSystem;
            b.filter = filter;
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
         * @throws IllegalArgumentException when a number is out of its range or two options contradict each other
         */
        public CopyOptions build() {
            if (threads < 0 || threads > WalkOptions.MAX_THREADS) {
                throw new IllegalArgumentException("threads out of 0 to " + WalkOptions.MAX_THREADS + ": " + threads);
            }
            if (chunkBytes < 1 << 20) {
                throw new IllegalArgumentException("chunks below 1 MiB: " + chunkBytes);
            }
            if (bandwidth < 0) {
                throw new IllegalArgumentException("bandwidth below 0: " + bandwidth);
            }
            if (reflink == When.ALWAYS && sparse != When.AUTO) {
                throw new IllegalArgumentException(
                        "--reflink=always shares holes as they are: it goes with --sparse=auto only");
            }
            if (inPlace && removeDestination) {
                throw new IllegalArgumentException("--in-place and --remove-destination contradict each other");
            }
            if (backup.isMade() && existing == Existing.SKIP) {
                throw new IllegalArgumentException(
                        "--backup and --no-clobber exclude each other: nothing is replaced that could be backed up");
            }
            if (!preserve.containsAll(required)) {
                throw new IllegalArgumentException("required but not preserved: " + required);
            }
            return new CopyOptions(copy());
        }
    }
}
