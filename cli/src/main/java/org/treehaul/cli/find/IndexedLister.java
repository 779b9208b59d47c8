// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.space.SpaceOption;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.ProgressPart;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.options.Root;
import org.treehaul.tuplespace.files.AbsolutePath;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexedRoot;

/** Lists the entries of an index that meet conditions, as {@link EntryLister} does those of trees. */
final class IndexedLister implements FindRun.Source {

    // In a search these depend on the root as the user gave it, and in the index on the absolute path. Whether a directory is
    // empty costs a query, so it is asked last.
    private static final Set<FileField> OWN = EnumSet.of(FileField.PATH, FileField.DIRECTORY, FileField.DEPTH,
            FileField.EMPTY);

    private final Session session;
    private final FileIndex index;
    private final List<Root> roots;
    private final FileQuery where;
    private final FoundValues values;
    private final ProgressPart progress;
    private long left;

    /** Creates the lister for these roots, by default all trees of the index. */
    IndexedLister(Session session, FileIndex index, List<ByteString> roots, FileQuery where) {
        this.session = session;
        this.index = index;
        this.roots = (roots.isEmpty() ? all(index) : roots).stream().map(Root::of).toList();
        this.where = where;
        this.values = new FoundValues(this.roots);
        this.progress = new ProgressPart(session.progress());
    }

    /** Returns the trees of an index, without those inside others, whose entries would be found twice. */
    private static List<ByteString> all(FileIndex index) {
        List<ByteString> all = index.roots().stream().map(IndexedRoot::root).toList();
        return all.stream().filter(root -> all.stream().noneMatch(other -> AbsolutePath.isBelow(root, other))).toList();
    }

    @Override
    public List<Root> roots() {
        return roots;
    }

    @Override
    public boolean list(Output output, Supplier<EntrySink> sinks, long limit) {
        left = limit;
        if (roots.isEmpty()) {
            session.screen().note(SpaceOption.NO_INDEX);
        }
        EntrySink sink = sinks.get();
        for (int i = 0; i < roots.size() && mayContinue(output); i++) {
            try {
                list(i, output, sink);
            } catch (SystemCallException e) {
                session.progress().entryFailed();
                session.onEvent(new Event.Failed(EntryFailure.of(roots.get(i).path(), TreePath.root(), e)));
            }
        }
        sink.flush();
        progress.publish();
        return left <= 0 || mayContinue(output);
    }

    private boolean mayContinue(Output output) {
        return left > 0 && output.isUsable() && !session.cancellation().isCancelled();
    }

    private void list(int rootIndex, Output output, EntrySink sink) throws SystemCallException {
        Root root = roots.get(rootIndex);
        ByteString top = AbsolutePath.of(Linux.calls(), root.path());
        List<FileTuple> first = new ArrayList<>();
        index.find(top).ifPresent(first::add);
        if (first.isEmpty() && !index.contains(top)) {
            throw new SystemCallException("find in the index", Errno.ENOENT);
        }
        try (Stream<FileTuple> below = index.entriesBelow(top, where.without(OWN))) {
            // Ends with the first entry that is refused; an iterator would read a part of the answer ahead.
            boolean _ = Stream.concat(first.stream(), below)
                    .allMatch(tuple -> mayContinue(output)
                            && isWritten(sink, IndexedEntry.of(index, tuple, root, rootIndex, top)));
        }
    }

    private boolean isWritten(EntrySink sink, IndexedEntry entry) {
        try {
            FoundValues found = values.of(entry);
            if (where.matches(found)) {
                sink.write(entry, found.path());
                progress.entryDone(entry.kind(), 0);
                left--;
            }
            return true;
        } catch (SystemCallException e) {
            throw new IllegalStateException("an index was read by a system call", e);
        }
    }
}
