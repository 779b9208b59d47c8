// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.links.HardLinks;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.EntryOutcome;
import org.treehaul.core.copy.outcome.OutcomeListener;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;

/**
 * The names of a large file that remain after its chunks were finished, and are copied like those of any other file:
 * they become links to the finished copy if there is one. Passes on their outcomes; that of the file itself comes last,
 * because the file counts as complete from then on. Safe for any number of threads.
 */
final class PendingNames implements OutcomeListener {

    private final ChunkedCopy file;
    private final List<ChunkedCopy.Name> names;
    private final HardLinks hardLinks = new HardLinks();
    private final ChunkedOutcomes outcomes;
    private final BitSet reported = new BitSet();

    // The source of the copy to which the names become links; null without such a copy.
    private @Nullable FileStatus linked;

    // The outcome of the file itself unless it failed; null without one.
    private @Nullable EntryOutcome outcome;

    private PendingNames(ChunkedCopy file, List<ChunkedCopy.Name> names, ChunkedOutcomes outcomes) {
        this.file = file;
        this.names = names;
        this.outcomes = outcomes;
    }

    /** Returns all names of a file whose chunks are not used. */
    static PendingNames all(ChunkedCopy file, ChunkedOutcomes outcomes) {
        List<ChunkedCopy.Name> names = new ArrayList<>(file.links());
        if (!file.isFailed()) {
            names.addFirst(new ChunkedCopy.Name(file.root(), file.path()));
        }
        return new PendingNames(file, names, outcomes);
    }

    /** Returns no names. */
    static PendingNames none(ChunkedCopy file, ChunkedOutcomes outcomes) {
        return new PendingNames(file, List.of(), outcomes);
    }

    /** Returns the further names of a file whose own name has an outcome. */
    static PendingNames further(ChunkedCopy file, ChunkedOutcomes outcomes) {
        return new PendingNames(file, file.links(), outcomes);
    }

    /** Returns the further names of a file that is finished under its own name. */
    static PendingNames linksTo(HardLinks.Place copy, ChunkedCopy file, FileStatus source, ChunkedOutcomes outcomes) {
        PendingNames pending = further(file, outcomes);
        pending.linked = source;
        pending.outcome = new EntryOutcome.Done(source);
        pending.hardLinks.copied(source, copy);
        return pending;
    }

    boolean isEmpty() {
        return names.isEmpty();
    }

    /** Returns the groups of hard links for the copy of the names. */
    HardLinks hardLinks() {
        return hardLinks;
    }

    /** Returns the pairs with only these names selected; each is numbered by its index in the list. */
    List<CopyPair> select(List<CopyPair> pairs) {
        List<SelectedEntries> selections = new ArrayList<>();
        pairs.forEach(pair -> selections.add(SelectedEntries.ofNonDirectories()));
        for (int i = 0; i < names.size(); i++) {
            ChunkedCopy.Name name = names.get(i);
            SelectedEntries selection = selections.get(name.root());
            selection.addEntry(name.path(), EntryKind.REGULAR, i);
            pairs.get(name.root())
                    .source()
                    .selection()
                    .ifPresent(marks -> marks.followedOnTheWayTo(name.path()).forEach(selection::follow));
        }
        List<CopyPair> selected = new ArrayList<>();
        for (int i = 0; i < pairs.size(); i++) {
            CopyPair pair = pairs.get(i);
            selected.add(new CopyPair(Root.of(pair.source().path(), selections.get(i)), pair.target()));
        }
        return selected;
    }

    /** Reports the outcome of the file itself, after all its names were copied. */
    synchronized void reportFile() {
        if (outcome != null) {
            outcomes.ended(file, outcome);
        }
    }

    @Override
    public synchronized void ended(int root, int number, TreePath path, EntryOutcome ended) {
        reported.set(number);
        ChunkedCopy.Name name = names.get(number);
        boolean isFile = name.root() == file.root() && name.path().equals(file.path());
        if (!isFile) {
            boolean isOther = linked != null && ended instanceof EntryOutcome.Done done
                    && !done.source().isSameFile(linked);
            outcomes.nameEnded(file, name, ended, isOther);
        } else if (ended instanceof EntryOutcome.Failed) {
            outcomes.ended(file, ended);
        } else {
            outcome = ended;
        }
    }

    @Override
    public synchronized void directoryFailed(int root, TreePath path, EntryFailure failure) {
        for (int i = 0; i < names.size(); i++) {
            if (!reported.get(i) && names.get(i).root() == root && names.get(i).path().startsWith(path)) {
                ended(root, i, names.get(i).path(), new EntryOutcome.Failed(new EntryFailure(failure.kind(),
                        failure.root(), names.get(i).path(), failure.operation(), failure.errno()), 1));
            }
        }
    }
}
