// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.util.List;
import java.util.Map;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.find.EntryLister;
import org.treehaul.cli.report.Text;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.summary.TreeSummary;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.Gather;
import org.treehaul.strategies.ranks.communicator.RanksException;

/** Walks trees and prints the result: a list of the entries, or a summary. */
abstract sealed class WalkOutput {

    final Session session;

    private WalkOutput(Session session) {
        this.session = session;
    }

    /**
     * The form of the output.
     *
     * @param lists whether entries are listed
     * @param endsWithNul whether the path of a listed entry ends with NUL
     * @param isLocated whether a listed entry has the servers of its data
     */
    record Form(boolean lists, boolean endsWithNul, boolean isLocated) {}

    /** Returns the output of a walk. */
    static WalkOutput of(Session session, Form form) {
        return form.lists() ? new Entries(session, form) : new Summary(session);
    }

    /** Prints the result of this process alone. */
    abstract ExitCode print(Walker walker, List<Root> roots);

    /** Prints the part that each rank prints itself, and returns the rest for rank 0. */
    abstract byte[] part(Walker walker, List<Root> roots);

    /** Prints the sum of all ranks in rank 0. */
    abstract ExitCode sum(List<byte[]> parts);

    /** Prints the part of one of several ranks; rank 0 provides the sum and the exit code of all. */
    int asRank(RankOptions ranks, Communicator communicator, WalkOptions options, List<Root> roots) {
        byte[] part = part(ranks.walking(Linux.calls(), options, communicator), roots);
        List<byte[]> parts = Gather.inFirst(communicator, part, session.cancellation());
        return ranks.codeOfAll(session, communicator, () -> sum(parts));
    }

    // The other ranks would wait for this one; its exception ends them too.
    final void requireComplete(boolean isComplete) {
        if (!isComplete) {
            throw new RanksException(session.output().problem().orElse("the walk was stopped"));
        }
    }

    final ExitCode end(boolean isComplete) {
        return session.end(session.problems().counts(), isComplete).ifAny(session.progress().snapshot().entries());
    }

    final ExitCode endOfAll(Map<EntryFailure.Kind, Long> failures, long entries) {
        ExitCode code = session.end(failures, true).ifAny(entries);
        long total = failures.values().stream().mapToLong(Long::longValue).sum();
        if (total > session.problems().total()) {
            session.screen().error(Text.count(total, "failure", "failures") + " in all ranks");
        }
        return code;
    }

    private static final class Entries extends WalkOutput {

        private final Form form;

        Entries(Session session, Form form) {
            super(session);
            this.form = form;
        }

        @Override
        ExitCode print(Walker walker, List<Root> roots) {
            boolean isComplete = list(walker, roots);
            summarize(isComplete);
            return end(isComplete && !session.output().isReaderGone());
        }

        @Override
        byte[] part(Walker walker, List<Root> roots) {
            boolean isComplete = list(walker, roots);
            requireComplete(isComplete && !session.output().isReaderGone());
            summarize(true);
            requireComplete(session.output().isUsable());
            return ListedPart.of(session).toBytes();
        }

        @Override
        ExitCode sum(List<byte[]> parts) {
            ListedPart sum = ListedPart.sum(parts);
            return endOfAll(sum.failures(), sum.entries());
        }

        private boolean list(Walker walker, List<Root> roots) {
            return form.isLocated()
                    ? EntryLister.listLocated(session, walker, roots, form.endsWithNul())
                    : EntryLister.list(session, walker, roots, form.endsWithNul());
        }

        private void summarize(boolean isComplete) {
            session.summarize(session.progress().snapshot(), isComplete);
            session.flush();
        }
    }

    private static final class Summary extends WalkOutput {

        Summary(Session session) {
            super(session);
        }

        @Override
        ExitCode print(Walker walker, List<Root> roots) {
            TreeSummary sum = TreeSummary.of(walker, roots, session, session.progress(), session.cancellation());
            report(sum);
            return end(sum.isComplete());
        }

        @Override
        byte[] part(Walker walker, List<Root> roots) {
            TreeSummary sum = TreeSummary.ofPart(walker, roots, session, session.progress(), session.cancellation());
            requireComplete(sum.isComplete());
            return sum.toBytes();
        }

        @Override
        ExitCode sum(List<byte[]> parts) {
            TreeSummary sum = TreeSummary.sum(parts);
            report(sum);
            return endOfAll(sum.failuresByKind(), sum.totalEntries());
        }

        private void report(TreeSummary sum) {
            SummaryReport report = new SummaryReport(sum);
            if (session.json().isPresent()) {
                report.json(session.json().get(), session.nanos());
            } else {
                report.textIfAny(session.output());
            }
        }
    }
}
