// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.links.EarlierCopies;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.AclListing;
import org.treehaul.core.fs.AttributePolicy;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.time.StoredTimes;

/**
 * The earlier copies of a run, and the rule by which one of their entries equals one of the source. Safe for any number
 * of threads.
 */
final class EarlierTrees implements EarlierCopies {

    // A thread mostly works in one directory, and needs those above it.
    private static final int DESCRIPTORS = 16;

    private final SyncOptions options;
    private final Owners owners;
    private final List<ByteString> directories;
    private final boolean isLinked;
    private final boolean ofContent;
    private final ByteString name;
    private final Consumer<String> notices;
    private final String notUsed;
    private final Cancellation cancellation;
    private final AttributePolicy policy;
    private final AclListing aclListing = new AclListing();
    private final AtomicBoolean isNoticed = new AtomicBoolean();
    private final LongAdder taken = new LongAdder();

    private EarlierTrees(SyncOptions options, Owners owners, List<ByteString> directories, SyncPlace place,
            Consumer<String> notices, String notUsed, Cancellation cancellation) {
        this.options = options;
        this.owners = owners;
        this.directories = directories;
        this.isLinked = options.earlier().isLinked();
        this.ofContent = place.isContent();
        this.name = UserPath.baseName(place.pair().source().path());
        this.notices = notices;
        this.notUsed = notUsed;
        this.cancellation = cancellation;
        this.policy = new AttributePolicy(options.copy().preserves(Preserve.XATTR),
                options.copy().preserves(Preserve.ACL), false);
    }

    /**
     * Finds the directories. One that does not exist is a notice, as with rsync: before the first snapshot there is
     * none.
     *
     * @throws CopyRefusedException if one cannot be opened
     */
    static EarlierTrees of(FileSystemCalls calls, SyncOptions options, Owners owners, SyncPlace place,
            Consumer<String> notices, Cancellation cancellation) throws CopyRefusedException {
        List<ByteString> found = new ArrayList<>();
        try (FileAccess access = FileAccess.open(calls)) {
            for (ByteString directory : options.earlier().directories()) {
                try {
                    Descent.open(access, directory, DESCRIPTORS).close();
                    found.add(directory);
                } catch (SystemCallException e) {
                    if (e.errno() != Errno.ENOENT) {
                        throw new CopyRefusedException("the earlier copy '" + directory + "': " + e.getMessage());
                    }
                    notices.accept("there is no earlier copy '" + directory + "'");
                }
            }
        }
        return new EarlierTrees(options, owners, found, place, notices,
                "some entries are copied although an earlier copy has them: ", cancellation);
    }

    /** Returns the destination itself, of which files are renamed. */
    static EarlierTrees ofDestination(SyncOptions options, Owners owners, SyncPlace place, Consumer<String> notices,
            Cancellation cancellation) {
        return new EarlierTrees(options, owners, List.of(place.pair().target()), place, notices,
                "some renamed files are copied: ", cancellation);
    }

    /** Returns the number of entries that were taken. */
    long taken() {
        return taken.sum();
    }

    boolean isLinked() {
        return isLinked;
    }

    AttributePolicy policy() {
        return policy;
    }

    AclListing aclListing() {
        return aclListing;
    }

    @Override
    public EarlierLookup open(FileAccess access) {
        List<Descent> descents = new ArrayList<>();
        for (ByteString directory : directories) {
            try {
                descents.add(Descent.open(access, directory, DESCRIPTORS));
            } catch (SystemCallException e) {
                notice("'" + directory + "': " + e.getMessage());
            }
        }
        return new EarlierLookup(this, access, descents);
    }

    void count() {
        taken.increment();
    }

    /** Notes once that an equal entry is copied. */
    void notice(String why) {
        if (isNoticed.compareAndSet(false, true)) {
            notices.accept(notUsed + why);
        }
    }

    /** Returns the path of an entry below an earlier copy. */
    TreePath below(TreePath path) {
        if (ofContent) {
            return path;
        }
        TreePath below = TreePath.root().child(name.toBytes());
        for (ByteString one : path.names()) {
            below = below.child(one.toBytes());
        }
        return below;
    }

    /**
     * Returns whether an entry with this status can be an equal one, apart from attributes and what it contains.
     *
     * @param node a descriptor of it, O_PATH is enough
     */
    boolean isAlike(FileStatus source, FileStatus there, StoredTimes times, int node) {
        if (!EntryKind.isKnown(there.mode()) || there.kind() != source.kind()
                || options.check() == SyncOptions.Check.NONE) {
            return false;
        }
        boolean isSize = source.kind() != EntryKind.REGULAR || source.size() == there.size();
        boolean needsTime = options.copy().preserves(Preserve.TIMESTAMPS)
                || options.check() == SyncOptions.Check.SIZE_AND_TIME;
        return isSize && (!needsTime || hasTime(source, there, times, node)) && hasAccess(source, there);
    }

    private boolean hasTime(FileStatus source, FileStatus there, StoredTimes times, int node) {
        if (times.hasTime(there, node, FileAccess.emptyName(), source.mtime())) {
            return true;
        }
        long apart = Timestamp.sinceEpoch(source.mtimeSeconds(), source.mtimeNanos())
                - Timestamp.sinceEpoch(there.mtimeSeconds(), there.mtimeNanos());
        return Math.abs(apart) <= options.modifyWindow().toNanos();
    }

    private boolean hasAccess(FileStatus source, FileStatus there) {
        Set<DifferenceKind> differing = EnumSet.noneOf(DifferenceKind.class);
        boolean hasMode = source.kind() == EntryKind.SYMLINK || !options.copy().preserves(Preserve.MODE)
                || source.permissions() == there.permissions();
        boolean isOwned = !options.copy().preserves(Preserve.OWNERSHIP)
                || source.uid() == there.uid() && source.gid() == there.gid();
        if (hasMode && isOwned) {
            return true;
        }
        if (!hasMode) {
            differing.add(DifferenceKind.MODE);
        }
        if (!isOwned && source.uid() != there.uid()) {
            differing.add(DifferenceKind.OWNER);
        }
        if (!isOwned && source.gid() != there.gid()) {
            differing.add(DifferenceKind.GROUP);
        }
        owners.retain(differing, source, there);
        return differing.isEmpty();
    }

    Cancellation cancellation() {
        return cancellation;
    }

    /** Returns whether the data of equal sizes are compared too. */
    boolean comparesData() {
        return options.check() == SyncOptions.Check.CONTENT || options.detectsRenames();
    }
}
