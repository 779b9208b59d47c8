// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
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
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Sums up the space of the directories of an indexed tree. The database sums up the files of each directory; their sums
 * are sorted so that each directory comes directly before its content, in files if they do not fit into memory. Used by
 * one thread.
 */
final class DirectoryUsage {

    private static final Set<EntryKind> FILES = EnumSet.complementOf(EnumSet.of(EntryKind.DIRECTORY));
    private static final Set<EntryKind> SIZED = EnumSet.of(EntryKind.REGULAR, EntryKind.SYMLINK);
    private static final int CONTENT_BYTES = 2 + 3 * Long.BYTES;

    private final TupleSpace space;
    private final QueryMemory memory;
    private final UsageOptions options;
    private final InodeSet seen;
    private final Progress progress;
    private final Cancellation cancellation;

    DirectoryUsage(TupleSpace space, QueryMemory memory, UsageOptions options, InodeSet seen, Progress progress,
            Cancellation cancellation) {
        this.space = space;
        this.memory = memory;
        this.options = options;
        this.seen = seen;
        this.progress = progress;
        this.cancellation = cancellation;
    }

    /** A directory whose content comes next. */
    private static final class Open {
        final byte[] key;
        final Sums itself = new Sums();
        final Sums files = new Sums();
        final Sums subdirectories = new Sums();

        Open(byte[] key) {
            this.key = key;
        }

        boolean contains(byte[] other) {
            return other.length > key.length && other[key.length] == 0
                    && Arrays.equals(key, 0, key.length, other, 0, key.length);
        }
    }

    private static final class Sums {
        private Usage sum = Usage.NONE;

        void add(Usage other) {
            sum = sum.plus(other);
        }
    }

    /**
     * Sums up a tree.
     *
     * @param root absolute path
     * @param name the path with which the reported paths begin
     * @param others absolute paths of trees that were summed up before; entries in them do not count again
     * @return the space of the whole tree
     */
    Usage sum(ByteString root, ByteString name, List<ByteString> others, Consumer<PathUsage> receiver) {
        try (QueryFiles files = new QueryFiles(memory)) {
            ExternalSort sort = files.sort("usage");
            Consumer<Found> records = record -> {
                boolean isElsewhere = others.stream()
                        .anyMatch(other -> record.path.equals(other) || AbsolutePath.isBelow(record.path, other));
                if (!isElsewhere) {
                    count(record);
                    files.run(() -> {
                        sort.add(AbsolutePath.key(record.path), record.content());
                        return true;
                    });
                }
            };
            each(FileIndex.entry(root), !options.countLinks(), records);
            // A sum of a directory cannot leave out a file that another root has counted.
            boolean isGrouped = !options.files()
                    && others.stream().noneMatch(other -> AbsolutePath.isBelow(other, root));
            boolean isOneSum = isGrouped && options.maxDepth() == 0 && !options.separate()
                    && others.stream().noneMatch(other -> other.equals(root) || AbsolutePath.isBelow(root, other));
            for (Template<FileTuple> part : FileIndex.below(root)) {
                if (isOneSum) {
                    collectSum(part, root, records);
                } else {
                    collect(part, isGrouped, records);
                }
            }
            return report(files, sort, AbsolutePath.key(root), name, receiver);
        }
    }

    /**
     * A part of the answer.
     *
     * @param isSum whether the path is that of a directory, and the usage that of the entries of a kind in it
     */
    private record Found(ByteString path, boolean isSum, EntryKind kind, Usage usage) {
        byte[] content() {
            return ByteBuffer.allocate(CONTENT_BYTES)
                    .put((byte) (isSum ? 1 : 0))
                    .put((byte) FileField.KINDS.indexOf(kind))
                    .putLong(usage.entries())
                    .putLong(usage.apparentBytes())
                    .putLong(usage.allocatedBytes())
                    .array();
        }
    }

    private void count(Found record) {
        Usage usage = record.usage;
        boolean isRegular = record.kind == EntryKind.REGULAR;
        progress.done(usage.entries(), isRegular ? usage.entries() : 0,
                record.kind == EntryKind.DIRECTORY ? usage.entries() : 0, isRegular ? usage.apparentBytes() : 0);
    }

    // Adds up all entries below a root, as if they were in the root itself.
    private void collectSum(Template<FileTuple> part, ByteString root, Consumer<Found> records) {
        String links = FileField.LINKS.label();
        if (options.countLinks()) {
            inGroups(part, root, records);
            return;
        }
        sums(part.equal(FileField.KIND.label(), EntryKind.DIRECTORY), root, records);
        Template<FileTuple> files = part.in(FileField.KIND.label(), FILES);
        inGroups(files.atMost(links, 1L), root, records);
        each(files.atLeast(links, 2L), true, found -> records.accept(new Found(root, true, found.kind, found.usage)));
    }

    private void collect(Template<FileTuple> part, boolean isGrouped, Consumer<Found> records) {
        each(part.equal(FileField.KIND.label(), EntryKind.DIRECTORY), false, records);
        Template<FileTuple> files = part.in(FileField.KIND.label(), FILES);
        String links = FileField.LINKS.label();
        if (!isGrouped) {
            each(files, !options.countLinks(), records);
            return;
        }
        inGroups(options.countLinks() ? files : files.atMost(links, 1L), null, records);
        if (!options.countLinks()) {
            each(files.atLeast(links, 2L), true, records);
        }
    }

    private void each(Template<FileTuple> template, boolean once, Consumer<Found> records) {
        try (Stream<FileTuple> all = space.contents(template)) {
            all.takeWhile(tuple -> !cancellation.isCancelled()).forEach(tuple -> {
                if (once && tuple.links() > 1 && tuple.kind() != EntryKind.DIRECTORY
                        && !seen.add(tuple.device(), tuple.inode())) {
                    return;
                }
                records.accept(new Found(tuple.path(), false, tuple.kind(),
                        usage(tuple.kind(), 1, tuple.size(), tuple.blocks())));
            });
        }
    }

    // Makes one sum for each kind: in each directory, or in all directories together if a root is given.
    private void inGroups(Template<FileTuple> all, @Nullable ByteString root, Consumer<Found> records) {
        String size = FileField.SIZE.label();
        each(all.atLeast(size, FileIndex.MOST_SUMMED + 1), false,
                large -> records.accept(root == null ? large : new Found(root, true, large.kind, large.usage)));
        sums(all.atMost(size, FileIndex.MOST_SUMMED), root, records);
    }

    private void sums(Template<FileTuple> template, @Nullable ByteString root, Consumer<Found> records) {
        if (cancellation.isCancelled()) {
            return;
        }
        String kinds = FileField.KIND.label();
        space.groupByInParts(template, root == null ? List.of(kinds, FileField.DIRECTORY.label()) : List.of(kinds),
                memory.bytes(), group -> {
                    EntryKind kind = (EntryKind) Objects.requireNonNull(group.key().getFirst());
                    ByteString directory = root == null
                            ? (ByteString) Objects.requireNonNull(group.key().getLast())
                            : root;
                    records.accept(new Found(directory, true, kind,
                            usage(kind, number(group, 0), number(group, 1), number(group, 2))));
                }, Aggregate.count(), Aggregate.sum(FileField.SIZE.label()), Aggregate.sum(FileField.BLOCKS.label()));
    }

    private static Usage usage(EntryKind kind, long entries, long size, long blocks) {
        return new Usage(entries, SIZED.contains(kind) ? size : 0, Amounts.bytesOfBlocks(blocks));
    }

    private static long number(Group group, int index) {
        return group.values().get(index) instanceof Number number ? number.longValue() : 0;
    }

    private Usage report(QueryFiles files, ExternalSort sort, byte[] rootKey, ByteString name,
            Consumer<PathUsage> receiver) {
        Sums total = new Sums();
        Deque<Open> open = new ArrayDeque<>();
        Consumer<Open> leave = directory -> leave(directory, open.peek(), rootKey, name, receiver);
        try (Stream<Found> records = files.stream(sort,
                (key, content) -> read(ByteString.of(key), ByteBuffer.wrap(content)))) {
            records.takeWhile(record -> !cancellation.isCancelled()).forEach(record -> {
                byte[] key = record.path.toBytes();
                total.add(record.usage);
                while (!open.isEmpty() && !Arrays.equals(open.element().key, key) && !open.element().contains(key)) {
                    leave.accept(open.pop());
                }
                boolean isDirectory = record.kind == EntryKind.DIRECTORY;
                if (record.isSum || isDirectory) {
                    if (open.isEmpty() || !Arrays.equals(open.element().key, key)) {
                        open.push(new Open(key));
                    }
                    (isDirectory ? open.element().itself : open.element().files).add(record.usage);
                    return;
                }
                Open parent = open.peek();
                if (parent != null) {
                    parent.files.add(record.usage);
                }
                if (options.files() || parent == null) {
                    send(key, record.kind, record.usage, rootKey, name, receiver);
                }
            });
        }
        while (!open.isEmpty()) {
            leave.accept(open.pop());
        }
        return total.sum;
    }

    private static Found read(ByteString key, ByteBuffer content) {
        return new Found(key, content.get() == 1, FileField.KINDS.get(content.get()),
                new Usage(content.getLong(), content.getLong(), content.getLong()));
    }

    private void leave(Open directory, @Nullable Open parent, byte[] rootKey, ByteString name,
            Consumer<PathUsage> receiver) {
        Usage own = directory.itself.sum.plus(directory.files.sum);
        Usage whole = own.plus(directory.subdirectories.sum);
        if (parent != null) {
            parent.subdirectories.add(whole);
        }
        send(directory.key, EntryKind.DIRECTORY, options.separate() ? own : whole, rootKey, name, receiver);
    }

    private void send(byte[] key, EntryKind kind, Usage usage, byte[] rootKey, ByteString name,
            Consumer<PathUsage> receiver) {
        byte[] below = key.length == rootKey.length
                ? new byte[0]
                : Arrays.copyOfRange(key, rootKey.length + 1, key.length);
        TreePath path = TreePath.of(AbsolutePath.separated(below));
        if (path.depth() <= options.maxDepth() && !cancellation.isCancelled()) {
            receiver.accept(new PathUsage(path.below(name), path.depth(), kind, usage));
        }
    }
}
