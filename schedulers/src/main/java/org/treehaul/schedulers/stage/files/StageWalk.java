// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.files;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.store.StoredEntry;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.StagedFile;

/**
 * Visits the entries of a stage in the order of their paths, as its catalogue has them: a directory comes before its
 * content. Servers are not asked. Used by one thread.
 */
public final class StageWalk {

    private static final int PAGE = 1024;
    // The byte after a slash: a directory's name with it follows everything below the directory.
    private static final ByteString AFTER_SLASH = ByteString.of("0");

    /** Receives entries. */
    @FunctionalInterface
    public interface Visitor {

        /** Receives an entry; returns false to end the walk. */
        boolean entry(StoredEntry entry) throws SystemCallException;
    }

    /** A directory whose content may follow, and whether it is excluded with everything below it. */
    private record Above(ByteString path, boolean isExcluded) {}

    private final StageStore store;
    private final ByteString base;
    private final ByteString root;
    private final EntryFilter filter;
    private final FileQuery where;
    private final Visitor visitor;
    private final SourceTree tree;
    private final FoundValues values;
    // Innermost first; also those that come between, such as a-b of a.
    private final Deque<Above> above = new ArrayDeque<>();

    /**
     * Prepares a walk.
     *
     * @param base the path of the entry to begin with; empty for the whole stage
     * @param root the same as the user gave it
     * @param filter excludes entries, and everything below them
     * @param where the conditions that entries must meet
     */
    public StageWalk(StageStore store, ByteString base, ByteString root, EntryFilter filter, FileQuery where,
            Visitor visitor) {
        this.store = store;
        this.base = base;
        this.root = root;
        this.filter = filter;
        this.where = where;
        this.visitor = visitor;
        this.tree = store.source(base);
        this.values = new FoundValues(List.of(Root.of(root)));
    }

    /**
     * Visits all entries.
     *
     * @return whether the visitor has received all
     * @throws SystemCallException ENOENT if there is no such entry; what the visitor throws
     */
    public boolean run() throws SystemCallException {
        FileStatus status = store.find(base).orElse(null);
        if (status == null) {
            throw new SystemCallException("stat", Errno.ENOENT);
        }
        if (!visit(TreePath.root(), status)) {
            return false;
        }
        Catalogue catalogue = store.stage().catalogue();
        int head = base.length() == 0 ? 0 : base.length() + 1;
        ByteString from = base.length() == 0 ? base : base.plus(ByteString.of("/"));
        List<StagedFile> page;
        do {
            page = catalogue.page(base, from, PAGE);
            for (StagedFile entry : page) {
                if (entry.path().length() > base.length() && !entry(entry, head)) {
                    return false;
                }
            }
            from = page.isEmpty() ? from : page.getLast().path().plus(ByteString.of(new byte[1]));
        } while (page.size() == PAGE);
        return true;
    }

    private boolean entry(StagedFile entry, int head) throws SystemCallException {
        byte[] bytes = entry.path().toBytes();
        TreePath path = TreePath.of(ByteString.of(bytes, head, bytes.length).toBytes());
        leave(ByteString.of(path.toBytes()));
        // Directories without an entry of their own.
        for (TreePath way : ways(path)) {
            if (!directory(way, Statuses.implied(entry.stage(), StageStore.join(base, way)))) {
                return false;
            }
        }
        FileStatus status = Statuses.of(entry);
        return entry.kind() == EntryKind.DIRECTORY
                ? directory(path, status)
                : isExcluded(path, false) || visit(path, status);
    }

    private void leave(ByteString path) {
        while (!above.isEmpty() && path.compareTo(above.peek().path().plus(AFTER_SLASH)) >= 0) {
            above.pop();
        }
    }

    // The directories above a path that were not visited, the outermost first.
    private List<TreePath> ways(TreePath path) {
        Deque<TreePath> missing = new ArrayDeque<>();
        TreePath way = path;
        while (way.depth() > 1) {
            way = way.parent();
            if (find(way) == null) {
                missing.push(way);
            }
        }
        return List.copyOf(missing);
    }

    private @Nullable Above find(TreePath directory) {
        ByteString path = ByteString.of(directory.toBytes());
        for (Above one : above) {
            if (one.path().equals(path)) {
                return one;
            }
        }
        return null;
    }

    private boolean isExcluded(TreePath path, boolean isDirectory) {
        Above directory = path.depth() > 1 ? find(path.parent()) : null;
        return directory != null && directory.isExcluded() || filter.excludes(path, isDirectory);
    }

    private boolean directory(TreePath path, FileStatus status) throws SystemCallException {
        boolean isExcluded = isExcluded(path, true);
        above.push(new Above(ByteString.of(path.toBytes()), isExcluded));
        return isExcluded || visit(path, status);
    }

    private boolean visit(TreePath path, FileStatus status) throws SystemCallException {
        StoredEntry entry = new StoredEntry(tree, root, path, status);
        return !where.isAll() && !where.matches(values.of(entry)) || visitor.entry(entry);
    }
}
