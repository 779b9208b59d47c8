// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.files.AbsolutePath;
import org.treehaul.tuplespace.files.DirectoryTotals;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.files.TotalsState;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The changes that a run makes to the totals of directories. They are sorted so that each directory comes directly
 * before its content, in files if they do not fit into memory, and then added to all directories above. Used by one
 * thread.
 */
final class TotalsUpdate implements Closeable {

    /** Totals that are read and written at once, and the bytes of their paths. */
    private static final int AT_ONCE = 1024;
    private static final long PATHS_AT_ONCE = 1 << 20;

    /** Where the change of a listing's sum is, after the sums of the totals. */
    private static final int LISTING = DirectoryTotals.SUMS;
    /** Greater than zero if that change is the whole sum of a listing that was unknown. */
    private static final int IS_WHOLE = LISTING + 1;
    private static final int ALL = IS_WHOLE + 1;

    /** A directory whose content comes next. Its path is the beginning of the current one. */
    private static final class Open {
        final int length;
        final long[] sums = new long[ALL];

        Open(int length) {
            this.length = length;
        }

        boolean contains(byte[] current, byte[] other) {
            return other.length >= length && Arrays.equals(current, 0, length, other, 0, length)
                    && (other.length == length || other[length] == 0);
        }
    }

    private final ListedParts parts;
    private final EntrySum listings;
    private ExternalSort sort;
    private ByteString directory = ByteString.empty();
    private long[] files = new long[ALL];
    private boolean isAny;

    /**
     * Creates an update without changes.
     *
     * @param parts provides the directory for files
     * @param listings computes the sums of listings
     */
    TotalsUpdate(ListedParts parts, EntrySum listings) {
        this.parts = parts;
        this.listings = listings;
        this.sort = parts.sorter("totals", ExternalSort.defaultRunBytes() / 2);
    }

    /** Counts an entry that is new in the index. */
    void add(FileTuple entry) {
        count(entry, 1);
    }

    /** Counts an entry that is no longer in the index; of a directory, only itself. */
    void remove(FileTuple entry) {
        count(entry, -1);
    }

    /** Counts the entries of a removed directory, with itself. */
    void removeTree(FileTuple removed, DirectoryTotals totals) {
        list(removed, -1);
        long[] sums = Arrays.copyOf(totals.sums(), ALL);
        for (int i = 0; i < sums.length; i++) {
            sums[i] = -sums[i];
        }
        put(removed.directory(), sums);
    }

    /**
     * Corrects the sum of a listing.
     *
     * @param stored the sum in the index; null if it is unknown
     * @param actual the sum over the entries in the index, before the changes of this run
     */
    void correct(ByteString path, @Nullable Long stored, long actual) {
        if (stored == null || stored != actual) {
            long[] sums = new long[ALL];
            sums[LISTING] = stored == null ? actual : actual - stored;
            sums[IS_WHOLE] = stored == null ? 1 : 0;
            put(path, sums);
        }
    }

    /**
     * Counts the entries of a whole listing that are new in the index.
     *
     * @param sum the sum of the listing
     */
    void addListing(ByteString path, List<FileTuple> entries, long sum) {
        begin(path);
        isAny |= !entries.isEmpty();
        files[LISTING] += sum;
        for (FileTuple entry : entries) {
            countKind(entry, 1);
        }
    }

    private void count(FileTuple entry, int sign) {
        list(entry, sign);
        countKind(entry, sign);
    }

    private void countKind(FileTuple entry, int sign) {
        EntryKind kind = entry.kind();
        if (kind == EntryKind.DIRECTORY) {
            long[] sums = new long[ALL];
            sums[0] = sign;
            sums[2] = sign;
            sums[5] = sign * entry.blocks();
            put(entry.path(), sums);
        } else if (entry.links() > 1) {
            files[6] += sign;
            files[7] += sign;
        } else {
            add(files, kind, sign, sign * entry.size(), sign * entry.blocks());
        }
    }

    /** Counts an entry in the listing of its directory. */
    private void list(FileTuple entry, int sign) {
        begin(entry.directory());
        // The root of the file system is in no directory, and sorts as if it were in itself.
        if (directory.length() > 0) {
            isAny = true;
            files[LISTING] += sign * listings.of(entry);
        }
    }

    /** Makes a directory the one whose entries are counted. */
    @SuppressWarnings("ReferenceEquality") // the entries of a listing share the bytes of their directory
    private void begin(ByteString path) {
        if (path != directory && !path.equals(directory)) {
            flush();
            directory = path;
        }
    }

    private static void add(long[] sums, EntryKind kind, long entries, long size, long blocks) {
        sums[0] += entries;
        sums[5] += blocks;
        if (kind == EntryKind.REGULAR) {
            sums[1] += entries;
            sums[3] += size;
        }
        if (kind == EntryKind.REGULAR || kind == EntryKind.SYMLINK) {
            sums[4] += size;
        }
    }

    private void flush() {
        if (isAny) {
            put(directory, files);
            files = new long[ALL];
            isAny = false;
        }
    }

    private void put(ByteString path, long[] sums) {
        ByteBuffer content = ByteBuffer.allocate(sums.length * Long.BYTES);
        for (long sum : sums) {
            content.putLong(sum);
        }
        parts.run(() -> sort.add(AbsolutePath.key(path), content.array()));
    }

    /**
     * Returns whether one of the trees is inside another, so that the entries of one change the totals of the other.
     */
    static boolean areNested(List<ByteString> roots) {
        return roots.stream().anyMatch(inner -> roots.stream().anyMatch(outer -> AbsolutePath.isBelow(inner, outer)));
    }

    /** Passes each directory of which something was counted, with its sums, after everything below it. */
    private void each(List<ByteString> roots, BiConsumer<ByteString, long[]> receiver) {
        flush();
        List<byte[]> tops = roots.stream()
                .filter(root -> roots.stream().noneMatch(outer -> AbsolutePath.isBelow(root, outer)))
                .map(AbsolutePath::key)
                .toList();
        parts.run(() -> {
            Deque<Open> open = new ArrayDeque<>();
            byte[] current = {};
            try (ExternalSort.Records records = sort.open()) {
                while (records.advance()) {
                    byte[] key = records.key();
                    while (!open.isEmpty() && !open.element().contains(current, key)) {
                        leave(open, current, receiver);
                    }
                    current = key;
                    enter(open, key, tops);
                    if (!open.isEmpty()) {
                        add(open.element().sums, ByteBuffer.wrap(records.content()));
                    }
                }
            }
            while (!open.isEmpty()) {
                leave(open, current, receiver);
            }
        });
    }

    // The directory that contains a root is not in the index.
    private static void enter(Deque<Open> open, byte[] key, List<byte[]> tops) {
        if (open.isEmpty()) {
            tops.stream()
                    .filter(top -> new Open(top.length).contains(top, key))
                    .findFirst()
                    .ifPresent(top -> open.push(new Open(top.length)));
        }
        if (open.isEmpty() || open.element().length == key.length) {
            return;
        }
        for (int i = open.element().length + 1; i < key.length; i++) {
            if (key[i] == 0) {
                open.push(new Open(i));
            }
        }
        open.push(new Open(key.length));
    }

    private static void add(long[] sums, ByteBuffer more) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] += more.getLong();
        }
    }

    private static void leave(Deque<Open> open, byte[] current, BiConsumer<ByteString, long[]> receiver) {
        Open left = open.pop();
        Open above = open.peek();
        // The last sum of the totals, and what follows, are those of the directory alone.
        for (int i = 0; above != null && i < DirectoryTotals.SUMS - 1; i++) {
            above.sums[i] += left.sums[i];
        }
        for (long sum : left.sums) {
            if (sum != 0) {
                receiver.accept(AbsolutePath.ofKey(Arrays.copyOf(current, left.length)), left.sums);
                return;
            }
        }
    }

    /** Passes the totals of a new index, and the state for which they hold. */
    void storeNew(List<IndexedRoot> roots, Consumer<Record> receiver) {
        each(roots.stream().map(IndexedRoot::root).toList(),
                (path, sums) -> receiver.accept(DirectoryTotals.of(path, sums).withListing(sums[LISTING])));
        receiver.accept(TotalsState.of(roots, listings));
    }

    /** Changes the totals in an index, which had those of its entries before. */
    void apply(TupleOperations tuples, List<IndexedRoot> roots) {
        Map<ByteString, Map<ByteString, long[]>> changes = new HashMap<>();
        long[] held = new long[2];
        each(roots.stream().map(IndexedRoot::root).toList(), (path, sums) -> {
            changes.computeIfAbsent(FileTuple.directoryOf(path), parent -> new HashMap<>())
                    .put(FileTuple.nameOf(path), sums);
            held[0]++;
            held[1] += path.length();
            if (held[0] >= AT_ONCE || held[1] >= PATHS_AT_ONCE) {
                write(tuples, changes);
                changes.clear();
                Arrays.fill(held, 0);
            }
        });
        write(tuples, changes);
        setState(tuples, roots);
    }

    private static DirectoryTotals changed(DirectoryTotals before, long[] sums) {
        Long known = before.listing();
        boolean isKnown = known != null || sums[IS_WHOLE] > 0;
        return before.plus(sums).withListing(isKnown ? (known == null ? 0 : known) + sums[LISTING] : null);
    }

    private static void write(TupleOperations tuples, Map<ByteString, Map<ByteString, long[]>> changes) {
        List<DirectoryTotals> written = new ArrayList<>();
        changes.forEach((parent, names) -> {
            Template<DirectoryTotals> changed = Template.of(DirectoryTotals.class)
                    .equal(DirectoryTotals.DIRECTORY, parent)
                    .in(DirectoryTotals.NAME, names.keySet());
            try (Stream<DirectoryTotals> known = tuples.contents(changed)) {
                known.forEach(before -> {
                    long[] sums = names.remove(before.name());
                    written.add(changed(before, Objects.requireNonNull(sums)));
                });
            }
            if (!written.isEmpty()) {
                tuples.remove(changed);
            }
            // The entries of a new directory are all new.
            names.forEach((name, sums) -> written
                    .add(DirectoryTotals.of(FileTuple.join(parent, name), sums).withListing(sums[LISTING])));
        });
        written.removeIf(totals -> totals.directories() <= 0);
        if (!written.isEmpty()) {
            tuples.writeAll(written, Lease.FOREVER);
        }
    }

    /** Makes the totals of an index from its entries; listings become known when a later run reads them. */
    void rebuild(TupleOperations tuples, List<IndexedRoot> roots) {
        parts.run(sort::close);
        sort = parts.sorter("rebuilt", ExternalSort.defaultRunBytes() / 2);
        isAny = false;
        Arrays.fill(files, 0);
        tuples.remove(Template.of(DirectoryTotals.class));
        List<ByteString> all = roots.stream().map(IndexedRoot::root).toList();
        for (ByteString root : all) {
            if (all.stream().noneMatch(outer -> AbsolutePath.isBelow(root, outer))) {
                for (Template<FileTuple> part : FileIndex.treeOf(root)) {
                    count(tuples, part);
                }
            }
        }
        List<DirectoryTotals> made = new ArrayList<>();
        each(all, (path, sums) -> {
            made.add(DirectoryTotals.of(path, sums));
            if (made.size() >= AT_ONCE) {
                tuples.writeAll(made, Lease.FOREVER);
                made.clear();
            }
        });
        if (!made.isEmpty()) {
            tuples.writeAll(made, Lease.FOREVER);
        }
        setState(tuples, roots);
    }

    private void count(TupleOperations tuples, Template<FileTuple> part) {
        String kinds = FileField.KIND.label();
        String links = FileField.LINKS.label();
        try (Stream<FileTuple> directories = tuples.contents(part.equal(kinds, EntryKind.DIRECTORY))) {
            directories.forEach(this::add);
        }
        Template<FileTuple> others = part.in(kinds, EnumSet.complementOf(EnumSet.of(EntryKind.DIRECTORY)));
        List<String> by = List.of(kinds, FileField.DIRECTORY.label());
        long bytes = ExternalSort.defaultRunBytes() / 2;
        tuples.groupByInParts(others.atLeast(links, 2L), by, bytes, group -> {
            long[] sums = new long[ALL];
            sums[6] = number(group, 0);
            sums[7] = sums[6];
            put((ByteString) Objects.requireNonNull(group.key().getLast()), sums);
        }, Aggregate.count());
        Template<FileTuple> single = others.atMost(links, 1L);
        String size = FileField.SIZE.label();
        try (Stream<FileTuple> large = tuples.contents(single.atLeast(size, FileIndex.MOST_SUMMED + 1))) {
            large.forEach(this::add);
        }
        tuples.groupByInParts(single.atMost(size, FileIndex.MOST_SUMMED), by, bytes, group -> {
            long[] sums = new long[ALL];
            add(sums, (EntryKind) Objects.requireNonNull(group.key().getFirst()), number(group, 0), number(group, 1),
                    number(group, 2));
            put((ByteString) Objects.requireNonNull(group.key().getLast()), sums);
        }, Aggregate.count(), Aggregate.sum(size), Aggregate.sum(FileField.BLOCKS.label()));
    }

    private static long number(Group group, int index) {
        return group.values().get(index) instanceof Number number ? number.longValue() : 0;
    }

    private void setState(TupleOperations tuples, List<IndexedRoot> roots) {
        tuples.remove(Template.of(TotalsState.class));
        tuples.writeAll(List.of(TotalsState.of(roots, listings)), Lease.FOREVER);
    }

    @Override
    public void close() {
        parts.run(sort::close);
    }
}
