// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.files;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.ServerNames;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;

/**
 * A tree of a stage for reading. A directory need not have an entry of its own: it exists if something is below it. Not
 * safe for several threads.
 */
final class StageSourceTree implements SourceTree {

    // Entries that are in memory during a listing. A larger directory below the listed one is passed over.
    private static final int PAGE = 512;

    private final StageStore store;
    private final Catalogue catalogue;
    private final ByteString base;

    StageSourceTree(StageStore store, ByteString base) {
        this.store = store;
        this.catalogue = store.stage().catalogue();
        this.base = base;
    }

    private @Nullable StagedFile find(ByteString path) {
        return catalogue.find(path).orElse(null);
    }

    private StagedFile entry(TreePath path, String operation) throws SystemCallException {
        StagedFile found = find(StageStore.join(base, path));
        if (found == null) {
            // A directory without an entry of its own.
            throw new SystemCallException(operation,
                    isImplied(StageStore.join(base, path)) ? Errno.EISDIR : Errno.ENOENT);
        }
        return found;
    }

    private boolean isImplied(ByteString path) {
        return path.length() == 0 || catalogue.isAnythingAt(path);
    }

    @Override
    public FileStatus status(TreePath entry) throws SystemCallException {
        ByteString path = StageStore.join(base, entry);
        Optional<FileStatus> found = status(catalogue, path);
        if (found.isEmpty()) {
            throw new SystemCallException("stat", Errno.ENOENT);
        }
        return found.get();
    }

    /** Returns the status of an entry; empty if there is none, and nothing below it. */
    static Optional<FileStatus> status(Catalogue catalogue, ByteString path) {
        Optional<StagedFile> found = catalogue.find(path);
        if (found.isPresent()) {
            return Optional.of(Statuses.of(found.get()));
        }
        return path.length() == 0 || catalogue.isAnythingAt(path)
                ? Optional.of(Statuses.implied(catalogue.stage(), path))
                : Optional.empty();
    }

    @Override
    public void list(TreePath directory, Listing listing) throws SystemCallException {
        ByteString path = StageStore.join(base, directory);
        StagedFile itself = find(path);
        if (itself != null && itself.kind() != EntryKind.DIRECTORY) {
            throw new SystemCallException("list", Errno.ENOTDIR);
        }
        if (itself == null && !isImplied(path)) {
            throw new SystemCallException("list", Errno.ENOENT);
        }
        int head = path.length() == 0 ? 0 : path.length() + 1;
        // The directories of this listing, whose content follows: after those that come between, such as a-b of a.
        Deque<ByteString> passed = new ArrayDeque<>();
        ByteString from = path.length() == 0 ? path : path.plus(ByteString.of("/"));
        List<StagedFile> page = catalogue.page(path, from, PAGE);
        while (!page.isEmpty()) {
            for (StagedFile entry : page) {
                if (entry.path().length() > path.length() && !pass(entry, head, passed, listing)) {
                    return;
                }
            }
            if (page.size() < PAGE) {
                return;
            }
            StagedFile last = page.getLast();
            int slash = slashAfter(last.path(), head);
            // The content of a directory has a slash after its name, and 0 follows the slash.
            from = slash < 0
                    ? last.path().plus(ByteString.of(new byte[1]))
                    : ByteString.of(last.path().toBytes(), 0, slash).plus(ByteString.of("0"));
            page = catalogue.page(path, from, PAGE);
        }
    }

    private static boolean pass(StagedFile entry, int head, Deque<ByteString> passed, Listing listing) {
        byte[] path = entry.path().toBytes();
        int slash = slashAfter(entry.path(), head);
        ByteString name = ByteString.of(path, head, slash < 0 ? path.length : slash);
        if (slash < 0 && entry.kind() != EntryKind.DIRECTORY) {
            return listing.entry(name.toBytes(), entry.kind());
        }
        while (!passed.isEmpty() && isBehind(path, head, passed.peek())) {
            passed.pop();
        }
        if (passed.contains(name)) {
            return true;
        }
        passed.push(name);
        return listing.entry(name.toBytes(), EntryKind.DIRECTORY);
    }

    // Whether the content of the directory of a name ends before a path.
    private static boolean isBehind(byte[] path, int head, ByteString name) {
        ByteString end = name.plus(ByteString.of("0"));
        return ByteString.of(path, head, path.length).compareTo(end) >= 0;
    }

    private static int slashAfter(ByteString path, int from) {
        for (int i = from; i < path.length(); i++) {
            if (path.at(i) == '/') {
                return i;
            }
        }
        return -1;
    }

    @Override
    public SourceFile open(TreePath file) throws SystemCallException {
        StagedFile entry = entry(file, "open");
        if (entry.kind() != EntryKind.REGULAR) {
            throw new SystemCallException("open", entry.kind() == EntryKind.DIRECTORY ? Errno.EISDIR : Errno.ELOOP);
        }
        try {
            return new StageSourceFile(store, store.stage().open(entry, false), Statuses.of(entry));
        } catch (StageException e) {
            throw StageStore.failure(e);
        }
    }

    @Override
    public ByteString linkTarget(TreePath link) throws SystemCallException {
        ByteString target = entry(link, "readlink").target();
        if (target == null) {
            throw new SystemCallException("readlink", Errno.EINVAL);
        }
        return target;
    }

    @Override
    public @Nullable ByteString servers(TreePath path) throws SystemCallException {
        StagedFile entry = find(StageStore.join(base, path));
        return entry == null || entry.kind() != EntryKind.REGULAR
                ? null
                : ServerNames.value(entry.layout().servers().stream().map(store::hostOf).distinct().toList());
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}
