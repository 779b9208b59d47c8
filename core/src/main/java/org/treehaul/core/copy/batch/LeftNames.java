// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;

import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.EntryOutcomes;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.walk.options.PathSelection;
import org.treehaul.core.walk.options.Root;

/** Names of a chunked file that are copied like those of any other file; passes on their outcomes. */
final class LeftNames implements EntryOutcomes {

    private final ChunkedCopy file;
    private final List<ChunkedCopy.Name> names;
    private final Set<ChunkedCopy.Name> changed;
    private final ChunkedOutcomes outcomes;
    private final BitSet told = new BitSet();

    LeftNames(ChunkedCopy file, List<ChunkedCopy.Name> names, Set<ChunkedCopy.Name> changed, ChunkedOutcomes outcomes) {
        this.file = file;
        this.names = names;
        this.changed = changed;
        this.outcomes = outcomes;
    }

    /** Returns the pairs with only these names selected; each is numbered by its index in the list. */
    List<CopyPair> select(List<CopyPair> pairs) {
        List<PathSelection> selections = new ArrayList<>();
        pairs.forEach(pair -> selections.add(PathSelection.ofEntries()));
        for (int i = 0; i < names.size(); i++) {
            ChunkedCopy.Name name = names.get(i);
            PathSelection selection = selections.get(name.root());
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

    private boolean isFile(int number) {
        ChunkedCopy.Name name = names.get(number);
        return name.root() == file.root() && name.path().equals(file.path());
    }

    @Override
    public synchronized void done(int root, int number, TreePath path, FileStatus source) {
        told.set(number);
        if (isFile(number)) {
            outcomes.done(file, source);
        } else if (changed.contains(names.get(number))) {
            outcomes.changed(file, names.get(number));
        } else {
            outcomes.linked(file, names.get(number));
        }
    }

    @Override
    public synchronized void skipped(int root, int number, TreePath path) {
        told.set(number);
        if (isFile(number)) {
            outcomes.skipped(file);
        } else {
            outcomes.linked(file, names.get(number));
        }
    }

    @Override
    public synchronized void failed(int root, int number, EntryFailure failure, int tries) {
        told.set(number);
        if (isFile(number)) {
            outcomes.failed(file, failure, tries);
        } else {
            outcomes.linkFailed(file, names.get(number), failure);
        }
    }

    @Override
    public synchronized void directoryFailed(int root, TreePath path, EntryFailure failure) {
        for (int i = 0; i < names.size(); i++) {
            if (!told.get(i) && names.get(i).root() == root && isBelow(names.get(i).path(), path)) {
                failed(root, i, new EntryFailure(failure.kind(), failure.root(), names.get(i).path(),
                        failure.operation(), failure.errno()), 1);
            }
        }
    }

    private static boolean isBelow(TreePath path, TreePath directory) {
        TreePath above = path;
        while (above.depth() > directory.depth()) {
            above = above.parent();
        }
        return above.equals(directory);
    }
}
