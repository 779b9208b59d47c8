// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.InodeSet;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.walk.summary.PathUsage;
import org.treehaul.core.walk.summary.Usage;
import org.treehaul.core.walk.summary.UsageOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Answers from the {@link DirectoryTotals} of an index how much space directories use, without reading their entries,
 * except files with several names. Used by one thread.
 */
final class TotalsUsage {

    /** More names of files with several names are found faster with all entries. */
    private static final long MOST_LINKED = 10_000;

    private final TupleSpace space;
    private final QueryMemory memory;
    private final UsageOptions options;
    private final InodeSet seen;
    private final Progress progress;
    private final Cancellation cancellation;
    private final boolean isCurrent;

    TotalsUsage(TupleSpace space, QueryMemory memory, UsageOptions options, InodeSet seen, Progress progress,
            Cancellation cancellation) {
        this.space = space;
        this.memory = memory;
        this.options = options;
        this.seen = seen;
        this.progress = progress;
        this.cancellation = cancellation;
        this.isCurrent = TotalsState.isCurrent(space, FileIndex.roots(space));
    }

    /**
     * Sums up a tree.
     *
     * @param root absolute path
     * @param name the path with which the reported paths begin
     * @param others absolute paths of trees that were summed up before; entries in them do not count again
     * @return the space of the whole tree; empty, before any report, if it takes more than the totals
     */
    Optional<Usage> sum(ByteString root, ByteString name, List<ByteString> others, Consumer<PathUsage> receiver) {
        if (others.stream().anyMatch(other -> other.equals(root) || AbsolutePath.isBelow(root, other))) {
            return Optional.of(Usage.NONE);
        }
        if (!isCurrent || options.files() || options.separate()) {
            return Optional.empty();
        }
        List<DirectoryTotals> before = new ArrayList<>();
        for (ByteString other : others) {
            boolean isOutermost = others.stream().noneMatch(outer -> AbsolutePath.isBelow(other, outer));
            if (isOutermost && AbsolutePath.isBelow(other, root)) {
                Optional<DirectoryTotals> inner = known(other);
                if (inner.isEmpty()) {
                    return Optional.empty();
                }
                before.add(inner.get());
            }
        }
        Optional<DirectoryTotals> known = known(root).map(totals -> without(totals, before));
        if (known.isEmpty() || known.get().linked() > (options.countLinks() ? 0 : MOST_LINKED)) {
            return Optional.empty();
        }
        DirectoryTotals whole = known.get();
        progress.done(whole.entries(), whole.files(), whole.directories(), DirectoryTotals.whole(whole.fileBytes()));
        Map<ByteString, Usage> linked = whole.linked() == 0 ? Map.of() : linked(root, whole);
        Usage total = linked.values().stream().reduce(whole.usage(), Usage::plus);
        if (options.maxDepth() == 0) {
            receiver.accept(new PathUsage(name, 0, EntryKind.DIRECTORY, total));
        } else {
            report(root, name, whole, linked, before, receiver);
        }
        return Optional.of(total);
    }

    private Optional<DirectoryTotals> known(ByteString path) {
        try (Stream<DirectoryTotals> found = space.contents(DirectoryTotals.entry(path))) {
            return found.findFirst();
        }
    }

    private static DirectoryTotals without(DirectoryTotals totals, List<DirectoryTotals> before) {
        DirectoryTotals rest = totals;
        for (DirectoryTotals inner : before) {
            if (AbsolutePath.isBelow(inner.path(), totals.path())) {
                rest = rest.minus(inner);
            }
        }
        return rest;
    }

    /** Returns the space of files with several names in each directory; each file counts for one name. */
    private Map<ByteString, Usage> linked(ByteString root, DirectoryTotals whole) {
        List<ByteString> directories = new ArrayList<>();
        if (whole.linkedHere() > 0) {
            directories.add(root);
        }
        for (Template<DirectoryTotals> part : DirectoryTotals.below(root)) {
            try (Stream<DirectoryTotals> found = space.contents(part.atLeast(DirectoryTotals.LINKED_HERE, 1L))) {
                found.forEach(totals -> directories.add(totals.path()));
            }
        }
        Template<FileTuple> names = Template.of(FileTuple.class)
                .in(FileField.KIND.label(), EnumSet.complementOf(EnumSet.of(EntryKind.DIRECTORY)))
                .atLeast(FileField.LINKS.label(), 2L);
        Map<ByteString, Usage> linked = new HashMap<>();
        for (ByteString directory : directories) {
            try (Stream<FileTuple> found = space.contents(names.equal(FileField.DIRECTORY.label(), directory))) {
                found.filter(tuple -> seen.add(tuple.device(), tuple.inode())).forEach(tuple -> {
                    boolean isRegular = tuple.kind() == EntryKind.REGULAR;
                    progress.done(1, isRegular ? 1 : 0, 0, isRegular ? tuple.size() : 0);
                    linked.merge(directory,
                            new Usage(1, isRegular || tuple.kind() == EntryKind.SYMLINK ? tuple.size() : 0,
                                    Amounts.bytesOfBlocks(tuple.blocks())),
                            Usage::plus);
                });
            }
        }
        return linked;
    }

    /** A directory whose content comes next. */
    private static final class Open {
        final byte[] key;
        Usage usage;

        Open(byte[] key, Usage usage) {
            this.key = key;
            this.usage = usage;
        }

        boolean contains(byte[] other) {
            return other.length > key.length && other[key.length] == 0
                    && Arrays.equals(key, 0, key.length, other, 0, key.length);
        }
    }

    private void report(ByteString root, ByteString name, DirectoryTotals whole, Map<ByteString, Usage> linked,
            List<DirectoryTotals> before, Consumer<PathUsage> receiver) {
        byte[] rootKey = AbsolutePath.key(root);
        try (QueryFiles files = new QueryFiles(memory)) {
            ExternalSort sort = files.sort("totals");
            put(files, sort, rootKey, whole.usage());
            int levels = options.maxDepth();
            List<Template<DirectoryTotals>> parts = DirectoryTotals.below(root);
            // The first part has the directories directly below.
            for (Template<DirectoryTotals> part : levels == 1 ? parts.subList(0, 1) : parts) {
                try (Stream<DirectoryTotals> found = space.contents(part)) {
                    found.takeWhile(totals -> !cancellation.isCancelled()).forEach(totals -> {
                        ByteString path = totals.path();
                        byte[] key = AbsolutePath.key(path);
                        if (depth(key, rootKey) <= levels && !isIn(path, before)) {
                            put(files, sort, key, without(totals, before).usage());
                        }
                    });
                }
            }
            // The key of what is directly in a directory comes after that of the directory, and before those below.
            linked.forEach((directory, usage) -> {
                byte[] key = AbsolutePath.key(directory);
                put(files, sort, Arrays.copyOf(key, key.length + 1), usage);
            });
            files.run(() -> {
                report(sort, rootKey, name, receiver);
                return true;
            });
        }
    }

    private static boolean isIn(ByteString path, List<DirectoryTotals> trees) {
        return trees.stream().anyMatch(tree -> path.equals(tree.path()) || AbsolutePath.isBelow(path, tree.path()));
    }

    private static int depth(byte[] key, byte[] rootKey) {
        int depth = 0;
        for (int i = rootKey.length; i < key.length; i++) {
            depth += key[i] == 0 ? 1 : 0;
        }
        return depth;
    }

    private static void put(QueryFiles files, ExternalSort sort, byte[] key, Usage usage) {
        byte[] content = ByteBuffer.allocate(3 * Long.BYTES)
                .putLong(usage.entries())
                .putLong(usage.apparentBytes())
                .putLong(usage.allocatedBytes())
                .array();
        files.run(() -> {
            sort.add(key, content);
            return true;
        });
    }

    private void report(ExternalSort sort, byte[] rootKey, ByteString name, Consumer<PathUsage> receiver)
            throws IOException {
        Deque<Open> open = new ArrayDeque<>();
        try (ExternalSort.Records records = sort.open()) {
            while (records.advance() && !cancellation.isCancelled()) {
                byte[] key = records.key();
                while (!open.isEmpty() && !open.element().contains(key)) {
                    leave(open.pop(), rootKey, name, receiver);
                }
                ByteBuffer content = ByteBuffer.wrap(records.content());
                Usage usage = new Usage(content.getLong(), content.getLong(), content.getLong());
                if (key.length > 0 && key[key.length - 1] == 0) {
                    open.forEach(above -> above.usage = above.usage.plus(usage));
                } else {
                    open.push(new Open(key, usage));
                }
            }
        }
        while (!open.isEmpty() && !cancellation.isCancelled()) {
            leave(open.pop(), rootKey, name, receiver);
        }
    }

    private static void leave(Open left, byte[] rootKey, ByteString name, Consumer<PathUsage> receiver) {
        byte[] below = left.key.length == rootKey.length
                ? new byte[0]
                : Arrays.copyOfRange(left.key, rootKey.length + 1, left.key.length);
        TreePath path = TreePath.of(AbsolutePath.separated(below));
        receiver.accept(new PathUsage(path.below(name), path.depth(), EntryKind.DIRECTORY, left.usage));
    }
}
