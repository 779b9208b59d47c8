// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.move.UnfinishedMove;
import org.treehaul.core.operation.FailedPlaces;
import org.treehaul.core.operation.PlannedOperation;
import org.treehaul.core.operation.Removal;
import org.treehaul.core.operation.Repetition;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.threads.ParallelLoop;
import org.treehaul.core.transfer.batch.RootCheck;
import org.treehaul.core.transfer.journal.FailureReader;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.walk.options.Root;

/**
 * Removes the sources of a move, after all its copies are complete and on disk: files with several threads, then files
 * with several names, then directories, the deepest first. It may be repeated after a kill at any moment.
 */
final class MovedSources {

    private static final String LINKS = "removal-links";

    // Neighbours in the plan are mostly in the same directory.
    private static final int AT_ONCE = 256;
    // Each portion costs a sync of the journal.
    private static final int GROUPS_AT_ONCE = 10_000;

    private final FinishingContext context;
    private final Plan plan;
    private final BatchSurvey survey;
    private final FinishingHistory history;
    private final PlannedOperation removal;
    private final FileSystemCalls calls;
    private final ParallelLoop loop;
    private final FailedPlaces kept = new FailedPlaces();

    /**
     * Creates a removal.
     *
     * @param survey gets the failures
     * @param history the records of earlier finishing
     */
    MovedSources(FinishingContext context, BatchSurvey survey, FinishingHistory history) {
        this.context = context;
        this.plan = context.plan();
        this.survey = survey;
        this.history = history;
        this.removal = new PlannedOperation(new Removal(), Repetition.COMPARED_WITH_PLAN, context.lease()::isGood,
                context.lease()::mayWrite);
        this.calls = removal.checked(context.calls());
        this.loop = new ParallelLoop(calls, context.settings().options().threads());
    }

    /** Removes the sources; returns whether all of them were tried. */
    boolean remove() throws IOException {
        List<ByteString> marks = begin();
        new FailureReader(context.directory(), this::keep).read();
        MovedFiles files = new MovedFiles(context.directory(), plan, kept);
        try (MovedFiles.Reader singles = files.singles()) {
            each(() -> portion(singles, AT_ONCE), SourceRemover::removeSingle);
        }
        try (MovedFiles.Reader groups = files.groups()) {
            removeGroups(groups);
        }
        if (!context.mayGoOn() || !removeDirectories() || !context.mayGoOn()) {
            return false;
        }
        if (!survey.hasFailures()) {
            end(marks);
        }
        return true;
    }

    // A call that failed at the target has the path of the target; the place that stays is that of the source. A directory
    // that failed stays too: no copy of it is compared before it is removed.
    private void keep(FailureRecord record) {
        EntryFailure failure = record.failure();
        for (PlannedRoot root : plan.header().roots()) {
            if (failure.root().equals(root.target()) || failure.root().equals(root.source())) {
                // The removal asks for planned directories only: for the parent of one that could not be opened.
                kept.add(root.source(), failure.path());
                if (record.index() == FailureRecord.NO_ENTRY) {
                    kept.addDirectory(root.source(), failure.path());
                }
            }
        }
    }

    // Returns the files that mark unfinished targets. They are recorded, because their names depend on the sources.
    private List<ByteString> begin() throws IOException {
        String detail = history.phase(FinishingHistory.REMOVAL).orElse("");
        if (detail.isEmpty()) {
            List<PlannedRoot> roots = plan.header().roots();
            List<String> lines = new ArrayList<>();
            lines.add(String.join(",",
                    RootCheck.places(context.calls(), roots.stream().map(PlannedRoot::source).toList())));
            try (FileAccess access = FileAccess.open(context.calls())) {
                for (PlannedRoot root : roots) {
                    mark(access, root).ifPresent(mark -> lines.add(ByteString.escape(mark.toBytes())));
                }
            }
            detail = String.join("\n", lines);
            record(FinishingHistory.REMOVAL, detail);
        }
        return detail.lines().skip(1).map(ByteString::unescape).toList();
    }

    private static Optional<ByteString> mark(FileAccess access, PlannedRoot root) {
        try {
            return Optional.of(UnfinishedMove.mark(access, new CopyPair(Root.of(root.source()), root.target())));
        } catch (SystemCallException e) {
            // A source that is gone has no mark.
            return Optional.empty();
        }
    }

    private void record(String phase, String detail) throws IOException {
        context.journal().write(new JournalRecord.Phase(phase, detail));
        context.journal().makeDurable(() -> {
            // Only the record must be durable.
        });
    }

    private static @Nullable List<MovedFile> portion(ParallelLoop.Source<MovedFile> source, int number)
            throws IOException {
        List<MovedFile> some = new ArrayList<>();
        while (some.size() < number) {
            MovedFile next = source.next();
            if (next == null) {
                break;
            }
            some.add(next);
        }
        return some.isEmpty() ? null : some;
    }

    private void each(ParallelLoop.Source<List<MovedFile>> source, BiConsumer<SourceRemover, MovedFile> work)
            throws IOException {
        loop.each(source, () -> new ParallelLoop.Worker<>() {
            private final SourceRemover remover = new SourceRemover(calls, plan.header(), removal, kept,
                    MovedSources.this::failed);

            @Override
            public void process(List<MovedFile> some) {
                for (MovedFile file : some) {
                    if (isStopped()) {
                        return;
                    }
                    work.accept(remover, file);
                }
            }

            @Override
            public void close() {
                remover.close();
            }
        });
    }

    private boolean isStopped() {
        return context.stop().isCancelled() || !context.lease().isGood();
    }

    // A file of which only some names are removed has another ctime; the record shows the next finishing why.
    private void removeGroups(ParallelLoop.Source<MovedFile> groups) throws IOException {
        Set<Long> begun = history.phase(LINKS)
                .filter(text -> !text.isEmpty())
                .map(text -> List.of(text.split(" ", -1)).stream().map(Long::parseLong).collect(Collectors.toSet()))
                .orElseGet(HashSet::new);
        Set<Long> unfinished = ConcurrentHashMap.newKeySet();
        unfinished.addAll(begun);
        for (List<MovedFile> portion = portion(groups, GROUPS_AT_ONCE); portion != null
                && !isStopped(); portion = portion(groups, GROUPS_AT_ONCE)) {
            portion.stream().filter(file -> file.names().size() > 1).forEach(file -> unfinished.add(file.group()));
            if (!unfinished.isEmpty()) {
                record(LINKS, unfinished.stream().map(String::valueOf).collect(Collectors.joining(" ")));
            }
            Iterator<MovedFile> all = portion.iterator();
            each(() -> all.hasNext() ? List.of(all.next()) : null, (remover, file) -> {
                if (file.names().size() == 1) {
                    remover.removeSingle(file);
                } else if (remover.removeGroup(file, begun.contains(file.group()))) {
                    unfinished.remove(file.group());
                }
            });
        }
    }

    private boolean removeDirectories() throws IOException {
        try (OperationFinishing directories = new OperationFinishing(context.calls(), plan, removal, kept,
                PerformedMark.of(history, context.journal()), context::failed)) {
            boolean isWhole = directories.run(new Progress(), context.stop());
            directories.failures().forEach(survey::failed);
            return isWhole;
        }
    }

    // After the loss of the lease every call fails because of it.
    private void failed(EntryFailure failure) {
        kept.add(failure);
        if (context.lease().isGood()) {
            synchronized (survey) {
                survey.failed(failure.kind(), 1);
            }
            context.failed(failure);
        }
    }

    private void end(List<ByteString> marks) {
        try (FileAccess access = FileAccess.open(calls)) {
            for (ByteString mark : marks) {
                try {
                    UnfinishedMove.end(access, mark);
                } catch (SystemCallException e) {
                    failed(EntryFailure.of(mark, TreePath.root(), e));
                }
            }
        }
    }
}
