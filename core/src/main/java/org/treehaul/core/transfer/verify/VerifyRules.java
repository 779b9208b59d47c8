// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.verify;

import static org.treehaul.core.compare.DifferenceKind.ACL;
import static org.treehaul.core.compare.DifferenceKind.CONTENT;
import static org.treehaul.core.compare.DifferenceKind.GROUP;
import static org.treehaul.core.compare.DifferenceKind.HARD_LINKS;
import static org.treehaul.core.compare.DifferenceKind.MODE;
import static org.treehaul.core.compare.DifferenceKind.MTIME;
import static org.treehaul.core.compare.DifferenceKind.ONLY_IN_A;
import static org.treehaul.core.compare.DifferenceKind.OWNER;
import static org.treehaul.core.compare.DifferenceKind.SIZE;
import static org.treehaul.core.compare.DifferenceKind.XATTR;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.plan.format.PlannedFile;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.journal.VerifiedCopy;

/** Decides which properties of a copy are compared, and interprets the differences. */
final class VerifyRules {

    // Size of a piece, small enough that several threads share a chunk, even the last one of a file.
    private static final long PIECE_BYTES = 16L << 20;

    private static final Set<DifferenceKind> OF_DIRECTORIES = Set.of(MODE, OWNER, GROUP, MTIME, XATTR, ACL);
    private static final int MOST_WORDS = 500;
    private static final int S_ISUID = 04000;
    private static final int S_ISGID = 02000;

    private final PlanHeader header;
    private final CopyOptions options;
    private final VerifiedCopy copy;

    VerifyRules(PlanHeader header, CopyOptions options, VerifiedCopy copy) {
        this.header = header;
        this.options = options;
        this.copy = copy;
    }

    /** Returns the options of the comparison: it covers everything that the copy had to preserve. */
    CompareOptions comparison() {
        Set<DifferenceKind> ignored = EnumSet.noneOf(DifferenceKind.class);
        ignore(Preserve.MODE, Set.of(MODE), ignored);
        ignore(Preserve.OWNERSHIP, Set.of(OWNER, GROUP), ignored);
        ignore(Preserve.TIMESTAMPS, Set.of(MTIME), ignored);
        ignore(Preserve.LINKS, Set.of(HARD_LINKS), ignored);
        ignore(Preserve.XATTR, Set.of(XATTR), ignored);
        ignore(Preserve.ACL, Set.of(ACL), ignored);
        if (header.uid() != 0 && !options.required().contains(Preserve.OWNERSHIP)) {
            // A user who may not change the owner of files does not promise to preserve it.
            ignored.addAll(Set.of(OWNER, GROUP));
        }
        if (options.attributesOnly()) {
            ignored.add(SIZE);
        }
        return CompareOptions.defaults()
                .withContent(!options.attributesOnly())
                .ignoring(ignored)
                .withTrusted(options.required().contains(Preserve.XATTR))
                .withThreads(options.threads())
                .withChunkBytes(PIECE_BYTES);
    }

    private void ignore(Preserve what, Set<DifferenceKind> kinds, Set<DifferenceKind> ignored) {
        if (!options.preserve().contains(what)) {
            ignored.addAll(kinds);
        }
    }

    /** Returns whether the copy of an entry has the same kind as the entry: without -r, cp reads a FIFO like a file. */
    boolean isComparable(EntryKind kind) {
        return options.recursive() || kind == EntryKind.REGULAR || kind == EntryKind.SYMLINK;
    }

    /**
     * Returns the failure of an entry of a batch, if any.
     *
     * @param entry the entry as planned
     */
    Optional<EntryFailure> judge(ComparisonSlice.Finding finding, ManifestEntry entry) {
        List<Difference> differences = new ArrayList<>(finding.differences());
        boolean isChanged = isChanged(finding.a(), differences, entry.kind(), entry.size(), entry.mtime());
        if (entry.chunk() != null && entry.chunk().number() > 0) {
            // All findings except those about data are reported for the first chunk of a file only.
            differences.removeIf(
                    difference -> !Set.of(CONTENT, SIZE, ONLY_IN_A, DifferenceKind.KIND).contains(difference.kind()));
        }
        return judge(finding, differences, isChanged);
    }

    // If the copy has the source's time and size, then this version of the source was copied, planned or not.
    private boolean isChanged(@Nullable FileStatus a, List<Difference> differences, EntryKind kind, long size,
            Timestamp mtime) {
        boolean isAsPlanned = a == null || a.size() == size && a.mtime().equals(mtime) && a.kind() == kind;
        DifferenceKind proof = options.preserve().contains(Preserve.TIMESTAMPS) ? MTIME : CONTENT;
        return !isAsPlanned && has(differences, Set.of(DifferenceKind.KIND, SIZE, proof));
    }

    /** Returns the failure, if any, for a difference in a tree that was copied although the plan does not list it. */
    Optional<EntryFailure> judgeTree(int root, Difference difference) {
        return difference.kind() == DifferenceKind.ONLY_IN_B
                ? Optional.empty()
                : Optional.of(new EntryFailure(EntryFailure.Kind.CORRUPT, header.roots().get(root).target(),
                        difference.path(), words(List.of(difference)), 0));
    }

    /** Returns the failure of a directory, if any. */
    Optional<EntryFailure> judgeDirectory(ComparisonSlice.Finding finding, MergedSources merged) {
        List<Difference> differences = new ArrayList<>(finding.differences());
        if (has(differences, OF_DIRECTORIES) && merged.isOverlaid(finding.root(), finding.path())) {
            differences.removeIf(difference -> OF_DIRECTORIES.contains(difference.kind()));
        }
        if (has(differences, Set.of(XATTR)) && merged.isAbove(finding.root(), finding.path())) {
            differences.removeIf(difference -> difference.kind() == XATTR);
        }
        FileStatus a = finding.a();
        FileStatus b = finding.b();
        // The directory was modified after the copy; entries that are missing now are reported individually.
        differences
                .removeIf(difference -> difference.kind() == MTIME && b != null && isAfter(b.mtime(), copy.finished()));
        boolean isChanged = has(differences, Set.of(MTIME)) && a != null && isAfter(a.mtime(), header.created());
        return judge(finding, differences, isChanged);
    }

    /** Returns the failure, if any, that concerns only this name of a file and not its other names. */
    Optional<EntryFailure> judgeName(ComparisonSlice.Finding finding) {
        return judge(finding, new ArrayList<>(finding.differences()), false);
    }

    /**
     * Returns the failure, if any, of a further name of a file in chunks that was copied as a separate file.
     */
    Optional<EntryFailure> judgeCopiedName(ComparisonSlice.Finding finding, PlannedFile file) {
        List<Difference> differences = new ArrayList<>(finding.differences());
        return judge(finding, differences,
                isChanged(finding.a(), differences, EntryKind.REGULAR, file.size(), file.mtime()));
    }

    private static boolean isAfter(Timestamp time, Instant instant) {
        return time.compareTo(new Timestamp(instant.getEpochSecond(), instant.getNano())) > 0;
    }

    private static boolean has(List<Difference> differences, Set<DifferenceKind> kinds) {
        return differences.stream().anyMatch(difference -> kinds.contains(difference.kind()));
    }

    private Optional<EntryFailure> judge(ComparisonSlice.Finding finding, List<Difference> differences,
            boolean isChanged) {
        differences.removeIf(difference -> difference.kind() == MODE && isWithoutSetId(finding));
        PlannedRoot root = header.roots().get(finding.root());
        EntryFailure failure = finding.failure();
        if (!differences.isEmpty()) {
            return Optional.of(isChanged
                    ? new EntryFailure(EntryFailure.Kind.CHANGED, root.source(), finding.path(),
                            words(differences) + " since it was planned", 0)
                    : corrupt(root.target(), finding, words(differences)));
        }
        if (failure != null && failure.errno() == Errno.ENOENT && failure.root().equals(root.target())) {
            return Optional.of(corrupt(root.target(), finding, "missing"));
        }
        return Optional.ofNullable(failure);
    }

    private static EntryFailure corrupt(ByteString target, ComparisonSlice.Finding finding, String words) {
        return new EntryFailure(EntryFailure.Kind.CORRUPT, target, finding.path(), words, 0);
    }

    // A copy with another owner must not grant that owner the rights of the source's owner.
    private static boolean isWithoutSetId(ComparisonSlice.Finding finding) {
        FileStatus a = finding.a();
        FileStatus b = finding.b();
        if (a == null || b == null) {
            return false;
        }
        int wanted = a.permissions();
        wanted &= a.uid() == b.uid() ? ~0 : ~S_ISUID;
        wanted &= a.gid() == b.gid() || a.kind() == EntryKind.DIRECTORY ? ~0 : ~S_ISGID;
        return b.permissions() == wanted;
    }

    private static String words(List<Difference> differences) {
        StringJoiner text = new StringJoiner("; ");
        for (Difference difference : differences) {
            text.add(switch (difference.kind()) {
                case ONLY_IN_A -> "missing";
                case CONTENT -> "content from byte " + difference.offset().orElse(0);
                default -> difference.values(" (source)", " (copy)", ZoneId.systemDefault());
            });
        }
        String all = text.toString();
        return all.length() <= MOST_WORDS ? all : all.substring(0, MOST_WORDS) + "...";
    }
}
