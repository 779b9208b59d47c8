// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.EnumSet;
import java.util.Set;

import org.treehaul.core.compare.links.LinkedContents;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkWorker;

/** Compares two entries with the same path in all kinds that the options include. Not safe for several threads. */
final class PairComparison {

    private static final String ITSELF = " (itself)";

    private final ComparisonRun run;
    private final CompareOptions options;
    private final StatusComparison statuses;
    private final AttributeComparison attributes;

    // The kinds in which the pair differs that is being compared.
    private final Set<DifferenceKind> kinds = EnumSet.noneOf(DifferenceKind.class);

    PairComparison(ComparisonRun run) {
        this.run = run;
        this.options = run.options();
        this.statuses = new StatusComparison(options, run::coarseTimes);
        this.attributes = new AttributeComparison(options);
    }

    /** Compares a pair and reports the differences; returns whether the walk can descend into it. */
    Step compare(EntryPair pair) {
        FoundEntry<PairedDirectory> found = pair.found();
        FileStatus a = pair.a();
        FileStatus b = pair.b();
        run.paired(found.number(), a, b);
        kinds.clear();
        if (a.kind() != b.kind()) {
            differs(Difference.of(DifferenceKind.KIND, found.path(), a.kind().label(), b.kind().label()));
            run.compared(found, a, b, kinds);
            return Step.SKIP;
        }
        statuses.compare(pair, (kind, valueA, valueB) -> differs(Difference.of(kind, found.path(), valueA, valueB)));
        boolean hasLinks = a.linkCount() > 1 || b.linkCount() > 1;
        if (hasLinks && a.kind() != EntryKind.DIRECTORY && options.compares(DifferenceKind.HARD_LINKS)) {
            run.addLink(a, b, found.path());
        }
        // If both sides are the same file, all the rest is equal.
        if (a.isSameFile(b)) {
            countFile(a);
        } else {
            compareByCalls(pair);
        }
        run.compared(found, a, b, kinds);
        return Step.CONTINUE;
    }

    private void differs(Difference difference) {
        kinds.add(difference.kind());
        run.differs(difference);
    }

    private void countFile(FileStatus status) {
        if (status.kind() == EntryKind.REGULAR) {
            run.progress().fileDone();
        }
    }

    private void compareByCalls(EntryPair pair) {
        FoundEntry<PairedDirectory> found = pair.found();
        try {
            attributes.compare(pair, found.access(), this::differs);
            if (pair.kind() == EntryKind.SYMLINK && options.compares(DifferenceKind.LINK_TARGET)) {
                compareTargets(pair);
            }
            if (pair.kind() == EntryKind.REGULAR) {
                compareContent(pair);
            }
        } catch (SideException e) {
            run.failed(found.path(), e);
        }
    }

    private void compareTargets(EntryPair pair) throws SideException {
        ByteString a = target(pair, Side.A);
        ByteString b = target(pair, Side.B);
        boolean isLoopA = new LinkLoop(pair, Side.A, run.root(Side.A)).leadsToItself(a);
        boolean isLoopB = new LinkLoop(pair, Side.B, run.root(Side.B)).leadsToItself(b);
        if (!a.equals(b) || isLoopA != isLoopB) {
            differs(Difference.of(DifferenceKind.LINK_TARGET, pair.found().path(), isLoopA ? a + ITSELF : a.toString(),
                    isLoopB ? b + ITSELF : b.toString()));
        }
    }

    private static ByteString target(EntryPair pair, Side side) throws SideException {
        try {
            return pair.found().access().linkTarget(pair.directory(side), pair.name(side));
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }

    private void compareContent(EntryPair pair) throws SideException {
        long sizeA = pair.a().size();
        long sizeB = pair.b().size();
        boolean isReported = sizeA != sizeB && options.compares(DifferenceKind.SIZE);
        if (isReported || !options.compares(DifferenceKind.CONTENT)) {
            run.progress().fileDone();
            return;
        }
        FoundEntry<PairedDirectory> found = pair.found();
        DataRange range = run.range(found.number());
        long end = Math.min(range.to(), Math.min(sizeA, sizeB));
        long start = Math.min(range.from(), end);
        boolean isWhole = start == 0 && end > 0 && end == Math.min(sizeA, sizeB);
        long known = isWhole ? run.linkedContents().result(pair.a(), pair.b(), found.path()) : LinkedContents.UNKNOWN;
        if (known == LinkedContents.REPORTED) {
            return;
        }
        if (known == LinkedContents.UNKNOWN && end - start > options.chunkBytes() && run.mostThreads() > 1) {
            new LargeFile(run, pair, start, end).fork(found.worker());
            return;
        }
        long offset = known == LinkedContents.UNKNOWN ? offset(pair, start, end) : known;
        if (offset != FilePair.NONE) {
            differs(Difference.ofContent(found.path(), offset));
        }
        run.progress().fileDone();
    }

    // The offset of the first byte that differs; if the common part is equal, the longer file differs at its end.
    private long offset(EntryPair pair, long start, long end) throws SideException {
        try {
            long offset = start == end ? FilePair.NONE : firstDifference(pair, start, end);
            if (offset == FilePair.NONE && pair.a().size() != pair.b().size()) {
                offset = end;
            }
            run.linkedContents().compared(pair.a(), pair.b(), offset);
            return offset;
        } catch (SideException e) {
            run.linkedContents().failed(pair.a(), pair.b(), e);
            throw e;
        }
    }

    private long firstDifference(EntryPair pair, long start, long end) throws SideException {
        WalkWorker<PairedDirectory> worker = pair.found().worker();
        FileAccess access = worker.access();
        if (end - start > FilePair.PIECE_BYTES) {
            worker.busyWith(pair.found().rootIndex(), pair.found().path());
        }
        try (FilePair files = FilePair.open(access, run.directoriesB(), pair)) {
            long offset = files.firstDifference(start, end, bytes -> {
                run.progress().bytesDone(bytes);
                worker.worked(1);
            }, worker::isStopped);
            if (end - start > FilePair.PIECE_BYTES) {
                files.checkUnchanged();
            }
            return offset;
        }
    }
}
