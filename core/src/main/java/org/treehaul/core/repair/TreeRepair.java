// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.repair;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.DifferenceListener;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeVisitor;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Copies the entries that differ from the first tree to the second, and compares them again. Entries that only the
 * second tree has are left alone, and a directory never takes the place of another entry, nor the reverse: such entries
 * fail. Each entry is replaced as a whole, as by every copy, also a root that is a link, unless roots are followed.
 * Immutable.
 */
public final class TreeRepair {

    private static final Map<DifferenceKind, Preserve> ATTRIBUTES = new EnumMap<>(
            Map.of(DifferenceKind.MODE, Preserve.MODE, DifferenceKind.OWNER, Preserve.OWNERSHIP, DifferenceKind.GROUP,
                    Preserve.OWNERSHIP, DifferenceKind.MTIME, Preserve.TIMESTAMPS, DifferenceKind.HARD_LINKS,
                    Preserve.LINKS, DifferenceKind.XATTR, Preserve.XATTR, DifferenceKind.ACL, Preserve.ACL));

    private final FileSystemCalls calls;
    private final ByteString a;
    private final ByteString b;
    private final CompareOptions comparison;
    private final DifferingEntries entries;

    /**
     * The result of a repair.
     *
     * @param copied the result of the copies; its counts include those of the comparison
     * @param compared the result of the comparison after them
     */
    public record Result(CopyResult copied, CompareResult compared) {}

    private TreeRepair(FileSystemCalls calls, ByteString a, ByteString b, CompareOptions comparison,
            DifferingEntries entries) {
        this.calls = calls;
        this.a = a;
        this.b = b;
        this.comparison = comparison;
        this.entries = entries;
    }

    /**
     * Returns a repair.
     *
     * @param a the first tree
     * @param b the second tree, which is changed
     * @param comparison the options with which the entries were found; only attributes that were compared are copied
     * @param entries the entries that differ
     */
    public static TreeRepair of(FileSystemCalls calls, ByteString a, ByteString b, CompareOptions comparison,
            DifferingEntries entries) {
        // A comparison with conditions reports each entry of a missing directory that meets them.
        return new TreeRepair(calls, a, b, comparison, comparison.where().isAll() ? entries : entries.alone());
    }

    /**
     * Copies the entries, and compares them again with the same options. If a copied file has further names, the trees
     * are compared once without data, and all names of each such file are copied. Returns when all entries are done or,
     * after the token was cancelled, when the entries in progress are finished or withdrawn.
     *
     * @param rest receives each remaining difference of the entries, on any thread
     * @param listener receives failures and notices, on any thread
     * @param progress counts the entries while the repair runs
     */
    public Result run(DifferenceListener rest, EventListener listener, Progress progress, Cancellation cancellation) {
        CopyResult copied = copy(entries, listener, progress, cancellation);
        DifferingEntries all = entries;
        if (copied.isComplete() && comparison.compares(DifferenceKind.HARD_LINKS) && hasLinks(cancellation)) {
            DifferingEntries parted = new DifferingEntries();
            compare(Root.of(a), onlyLinks(), difference -> {
                if (difference.kind() == DifferenceKind.HARD_LINKS) {
                    parted.onDifference(difference);
                }
            }, listener, new Progress(), cancellation);
            if (parted.size() > 0) {
                copied = sum(copied, copy(parted, listener, progress, cancellation));
                all = entries.with(parted);
            }
        }
        CompareOptions selected = comparison.withFilter(all.filter(comparison.filter()));
        CompareResult compared = compare(Root.of(a, all.selection()), selected, rest, listener, progress, cancellation);
        return new Result(copied, compared);
    }

    private CopyResult copy(DifferingEntries some, EventListener listener, Progress progress,
            Cancellation cancellation) {
        CopyOptions options = CopyOptions.archive()
                .preserve(preserved())
                .symlinks(symlinks())
                .oneFileSystem(comparison.oneFileSystem())
                .takesNames(!comparison.followRoots())
                .threads(comparison.threads())
                .filter(some.filter(comparison.filter()))
                .build();
        CopyResult copied = TreeCopier.of(calls, options)
                .copy(List.of(new CopyPair(Root.of(a, some.selection()), b)), listener, progress, cancellation);
        SelectedPaths directories = directories(some.ofAttributes());
        if (directories == null || !copied.isComplete()) {
            return copied;
        }
        CopyOptions attributes = options.toBuilder()
                .takesNames(false)
                .attributesOf((path, source, target) -> false)
                .build();
        CopyResult added = TreeCopier.of(calls, attributes)
                .copy(List.of(new CopyPair(Root.of(a, directories), b)), listener, new Progress(), cancellation);
        return sum(added, copied);
    }

    // Files are replaced, but a copy only adds attributes to a directory. Returns null if there are no such directories.
    private @Nullable SelectedPaths directories(Set<TreePath> paths) {
        SelectedPaths directories = null;
        try (FileAccess access = FileAccess.open(calls)) {
            for (TreePath path : paths) {
                if (isDirectory(access, path)) {
                    directories = directories == null ? SelectedPaths.strict() : directories;
                    directories.addDirectory(path);
                }
            }
        }
        return directories;
    }

    private boolean isDirectory(FileAccess access, TreePath path) {
        try {
            return LongPath.status(access, path.below(a), comparison.followRoots() && path.isRoot())
                    .kind() == EntryKind.DIRECTORY;
        } catch (SystemCallException e) {
            // The copy has met the same error, and reported it.
            return false;
        }
    }

    private CompareResult compare(Root root, CompareOptions options, DifferenceListener differences,
            EventListener listener, Progress progress, Cancellation cancellation) {
        return TreeComparer.of(calls, options).compare(root, b, differences, listener, progress, cancellation);
    }

    private Symlinks symlinks() {
        return comparison.followRoots() ? Symlinks.ROOTS : Symlinks.NEVER;
    }

    private Set<Preserve> preserved() {
        Set<Preserve> preserved = EnumSet.noneOf(Preserve.class);
        ATTRIBUTES.forEach((kind, attribute) -> {
            if (comparison.compares(kind)) {
                preserved.add(attribute);
            }
        });
        return preserved;
    }

    private CompareOptions onlyLinks() {
        Set<DifferenceKind> others = EnumSet.complementOf(EnumSet.of(DifferenceKind.HARD_LINKS));
        return comparison.ignoring(others);
    }

    // A copied name is a link to the others only if all names of the file are copied together.
    private boolean hasLinks(Cancellation cancellation) {
        WalkOptions walk = WalkOptions.defaults()
                .withStatus(true)
                .withSymlinks(symlinks())
                .withOneFileSystem(comparison.oneFileSystem())
                .withFilter(entries.filter(comparison.filter()))
                .withThreads(comparison.threads());
        AtomicBoolean found = new AtomicBoolean();
        TreeWalker.of(calls, walk)
                .walk(List.of(Root.of(a, entries.selection())), () -> new LinkSearch(found), cancellation);
        return found.get();
    }

    /** Searches an entry with several names. */
    private record LinkSearch(AtomicBoolean found) implements TreeVisitor {

        @Override
        public Step visit(Entry entry) {
            boolean isLinked = entry.kind() != EntryKind.DIRECTORY
                    && entry.status().filter(status -> status.linkCount() > 1).isPresent();
            if (isLinked) {
                found.set(true);
            }
            return found.get() ? Step.QUIT : Step.CONTINUE;
        }

        // An entry that cannot be read may have several names. The comparison that follows reports a lasting failure.
        @Override
        public void failed(EntryFailure failure) {
            found.set(true);
        }
    }

    private static CopyResult sum(CopyResult first, CopyResult second) {
        Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
        failures.putAll(first.failures());
        second.failures().forEach((kind, count) -> failures.merge(kind, count, Long::sum));
        return new CopyResult(second.counts(), failures, first.isComplete() && second.isComplete());
    }
}
