// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.files.AbsolutePath;
import org.treehaul.tuplespace.files.DirectoryTotals;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexCondition;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.files.ListingSums;
import org.treehaul.tuplespace.files.TotalsState;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Compares listings with the space, directory by directory, and changes what differs.
 * <p>
 * Only a whole listing proves that an entry is gone. Entries below a directory that was not listed are left alone. A
 * whole listing with the same sum as in the space is unchanged, and its entries are not read.
 */
final class NextSink implements IndexSink {

    private static final Template<FileTuple> FILES = Template.of(FileTuple.class);
    private static final String DIRECTORY = FileField.DIRECTORY.label();
    private static final String NAME = FileField.NAME.label();
    private static final String GENERATION = FileField.GENERATION.label();
    // SQLite accepts 250,000 values in a statement, but more than this number gains nothing.
    private static final int PORTION = 4096;
    // A page takes this part of the limit: the store copies it, and changed tuples that wait to be written take memory too.
    private static final int PAGES = 4;
    /** In place of the index of a root, in the listing that has the entry of a root alone. */
    private static final int NO_ROOT = -1;
    // Bytes of tuples that are written at once.
    private static final long WRITTEN = 2 << 20;

    private final TupleOperations tuples;
    private final ListedParts parts;
    private final long mostKnown;
    private final boolean isSelective;
    private final boolean isLocated;
    private final List<FileTuple> written = new ArrayList<>();
    private long writtenBytes;
    /** Names in the current directory whose old tuples must be removed before the new ones are written. */
    private final List<ByteString> outdated = new ArrayList<>();
    /** Paths that occur twice in the space, as written by versions that read a root and another inside it at once. */
    private final Set<ByteString> doubled = new HashSet<>();
    private long changed;
    /** Numbers of entries added to and removed from each root. */
    private final Map<ByteString, long[]> counts = new HashMap<>();
    private final TotalsUpdate totals;
    /** Whether the totals can be changed; otherwise they are made again in the end. */
    private boolean keepsTotals;
    private final EntrySum listings;
    private final ListingSums known;
    /** The sums of listings in the space, of directories that are compared now. */
    private Map<ByteString, Optional<Long>> sums = Map.of();
    /** Directories of which parts with failures are stored. */
    private final Set<Place> failed = new HashSet<>();
    private ByteString current;
    private long[] count;

    /**
     * Creates a sink for a later run.
     *
     * @param roots absolute paths of the trees that the run reads
     * @param parts keeps the listings of large directories until their end
     * @param mostKnown bytes of known tuples of the directories that are compared at once
     * @param isSelective whether the index has directories that do not meet its conditions, which are not counted
     * @param isLocated whether the run asks for the servers of all files, so that those from an earlier one are
     *        outdated
     * @param listings computes the sums of listings: as those of the space were computed, if any are known
     * @param known the sums of listings in the space
     */
    NextSink(TupleOperations tuples, List<ByteString> roots, ListedParts parts, long mostKnown, boolean isSelective,
            boolean isLocated, EntrySum listings, ListingSums known) {
        this.tuples = tuples;
        this.parts = parts;
        this.mostKnown = mostKnown;
        this.isSelective = isSelective;
        this.isLocated = isLocated;
        this.listings = listings;
        this.known = known;
        roots.forEach(root -> counts.put(root, new long[2]));
        current = ByteString.empty();
        count = new long[2];
        counts.put(current, count);
        totals = new TotalsUpdate(parts, listings);
        List<IndexedRoot> indexed = FileIndex.roots(tuples);
        List<ByteString> trees = new ArrayList<>(roots);
        indexed.forEach(root -> trees.add(root.root()));
        keepsTotals = !TotalsUpdate.areNested(trees)
                && (TotalsState.isCurrent(tuples, indexed) || indexed.isEmpty() && hasNoEntries());
    }

    // The space may be new, or have been made for other tuples.
    private boolean hasNoEntries() {
        return tuples.count(FILES) == 0 && tuples.count(Template.of(DirectoryTotals.class)) == 0;
    }

    /** Selects the counters for a listing: those of the innermost root that contains it. */
    private void countFor(Listing listing) {
        // The entry of a root is in a directory outside, but what it loses is lost by the root.
        countFor(listing.place().root() == NO_ROOT ? listing.entries().getFirst().path() : listing.directory());
    }

    private void countFor(ByteString directory) {
        if (current.length() > 0 && counts.size() == 2 && !directory.equals(current)
                && AbsolutePath.isBelow(directory, current)) {
            return;
        }
        ByteString found = ByteString.empty();
        for (ByteString root : counts.keySet()) {
            if (root.length() > found.length() && (root.equals(directory) || AbsolutePath.isBelow(directory, root))) {
                found = root;
            }
        }
        current = found;
        count = Objects.requireNonNull(counts.get(found));
    }

    @Override
    public void put(List<Listing> found) {
        for (Listing listing : found) {
            if (listing.extent() == Listing.Extent.PART && !listing.failures().isEmpty()) {
                failed.add(listing.place());
            }
        }
        readSums(found);
        List<Listing> apart = new ArrayList<>();
        Set<ByteString> directories = new HashSet<>();
        for (Listing listing : found) {
            if (listing.extent() == Listing.Extent.PART) {
                parts.add(listing);
                continue;
            }
            if (hasFailures(listing)) {
                failed.remove(listing.place());
            } else if (isUnchanged(listing)) {
                parts.drop(listing.place());
                continue;
            }
            boolean isLarge = parts.has(listing.place());
            if (isLarge || !directories.add(listing.directory())) {
                // One root is inside another: the second walk must see the tuples that the first has written.
                putApart(apart);
                apart.clear();
                directories.clear();
                directories.add(listing.directory());
            }
            if (isLarge) {
                merge(listing);
            } else {
                apart.add(listing);
            }
        }
        putApart(apart);
    }

    private boolean hasFailures(Listing listing) {
        return !listing.failures().isEmpty() || !failed.isEmpty() && failed.contains(listing.place());
    }

    /** Reads the sums of whole listings that may be compared, unless the totals are made again. */
    private void readSums(List<Listing> found) {
        List<Template<DirectoryTotals>> asked = new ArrayList<>();
        if (keepsTotals) {
            for (Listing listing : found) {
                if (listing.extent() == Listing.Extent.WHOLE && (hasFailures(listing) || !isKnown(listing))) {
                    asked.add(DirectoryTotals.entry(listing.directory()));
                }
            }
        }
        if (asked.isEmpty()) {
            sums = Map.of();
            return;
        }
        sums = new HashMap<>();
        try (Stream<DirectoryTotals> stored = tuples.contents(Template.ofAny(DirectoryTotals.class, asked))) {
            stored.forEach(totals -> sums.put(totals.path(), Optional.ofNullable(totals.listing())));
        }
    }

    private boolean isKnown(Listing listing) {
        Long sum = listing.sum();
        return keepsTotals && sum != null && known.has(listing.directory(), sum);
    }

    private boolean isUnchanged(Listing listing) {
        Long sum = listing.sum();
        return sum != null && (known.isComplete()
                ? isKnown(listing)
                : sums.getOrDefault(listing.directory(), Optional.empty()).equals(Optional.of(sum)));
    }

    /**
     * Corrects the sum of a listing in the space before the changes of this run.
     *
     * @param sum the sum over all known entries
     */
    private void correct(ByteString directory, long sum) {
        if (keepsTotals) {
            Optional<Long> stored = sums.getOrDefault(directory, Optional.empty());
            boolean isNew = sum == 0 && !sums.containsKey(directory);
            if (!isNew) {
                totals.correct(directory, stored.orElse(null), sum);
            }
        }
    }

    private void putApart(List<Listing> some) {
        doubled.clear();
        Set<ByteString> directories = new HashSet<>();
        some.stream()
                .filter(listing -> listing.extent() == Listing.Extent.WHOLE)
                .forEach(listing -> directories.add(listing.directory()));
        Map<ByteString, Map<ByteString, FileTuple>> known = directories.isEmpty()
                ? Map.of()
                : read(FILES.in(DIRECTORY, directories));
        if (known == null && some.size() > 1) {
            some.forEach(listing -> putApart(List.of(listing)));
            return;
        }
        for (Listing listing : some) {
            Map<ByteString, Map<ByteString, FileTuple>> own = known;
            if (listing.extent() != Listing.Extent.WHOLE) {
                List<ByteString> names = listing.entries().stream().map(FileTuple::name).toList();
                own = names.isEmpty() ? Map.of() : read(FILES.equal(DIRECTORY, listing.directory()).in(NAME, names));
            }
            if (own == null) {
                merge(listing);
            } else {
                compare(listing, own.getOrDefault(listing.directory(), Map.of()));
            }
        }
        flush();
    }

    @Override
    public void putRoot(FileTuple root) {
        put(List.of(new Listing(new Place(NO_ROOT, TreePath.root()), root.directory(), List.of(root), Map.of(),
                Listing.Extent.CUT, 0, null)));
    }

    /** Returns the known tuples by directory and name; null if they exceed the limit of memory. */
    private @Nullable Map<ByteString, Map<ByteString, FileTuple>> read(Template<FileTuple> template) {
        Map<ByteString, Map<ByteString, FileTuple>> known = new HashMap<>();
        long bytes = 0;
        try (Stream<FileTuple> stream = tuples.contents(template)) {
            for (Iterator<FileTuple> each = stream.iterator(); each.hasNext();) {
                FileTuple tuple = each.next();
                bytes += GatheredDirectory.weight(tuple) + tuple.directory().length();
                if (bytes > mostKnown) {
                    return null;
                }
                Map<ByteString, FileTuple> inside = known.computeIfAbsent(tuple.directory(), d -> new HashMap<>());
                if (inside.put(tuple.name(), tuple) != null) {
                    doubled.add(tuple.path());
                }
            }
        }
        return known;
    }

    private void compare(Listing listing, Map<ByteString, FileTuple> known) {
        countFor(listing);
        if (keepsTotals && listing.extent() == Listing.Extent.WHOLE) {
            correct(listing.directory(), known.values().stream().mapToLong(listings::of).sum());
        }
        Set<ByteString> seen = new HashSet<>();
        for (FileTuple now : listing.settled()) {
            seen.add(now.name());
            FileTuple before = known.get(now.name());
            if (before == null) {
                add(now);
            } else {
                compare(before, withKnown(now, before, listing.failures().containsKey(now.name())),
                        !doubled.isEmpty() && doubled.contains(now.path()));
            }
            makeRoom(listing.directory());
        }
        if (listing.extent() == Listing.Extent.WHOLE) {
            for (FileTuple before : known.values()) {
                if (!seen.contains(before.name()) && listing.failures().get(before.name()) != EntryFailure.Kind.ERROR) {
                    remove(before);
                }
            }
        }
        removeOutdated(listing.directory());
    }

    /** Compares a large directory, or one with many known tuples: reads both sides in the order of names. */
    private void merge(Listing last) {
        ByteString directory = last.directory();
        boolean isWhole = last.extent() == Listing.Extent.WHOLE;
        countFor(last);
        long sum = 0;
        try (ListedParts.Found found = parts.end(last)) {
            KnownEntries known = new KnownEntries(tuples, directory, mostKnown / PAGES);
            ListedParts.Named now = found.next();
            List<FileTuple> before = known.next();
            while (now != null || !before.isEmpty() && isWhole) {
                int order = now == null ? 1 : before.isEmpty() ? -1 : now.name().compareTo(before.getFirst().name());
                FileTuple entry = now == null || order > 0 ? null : now.entry();
                boolean isUnknown = now != null && order == 0 && now.failure() == EntryFailure.Kind.ERROR;
                if (entry == null) {
                    if (order >= 0 && isWhole && !isUnknown) {
                        remove(before.getFirst());
                    }
                } else if (order < 0) {
                    add(entry);
                } else {
                    boolean isFailed = Objects.requireNonNull(now).failure() != null;
                    compare(before.getLast(), withKnown(entry, before.getLast(), isFailed), before.size() > 1);
                }
                if (order >= 0) {
                    sum += listings.of(before.getFirst());
                    before = known.next();
                }
                now = order <= 0 ? found.next() : now;
                makeRoom(directory);
            }
        }
        if (isWhole) {
            correct(directory, sum);
        }
        removeOutdated(directory);
        flush();
    }

    private void add(FileTuple now) {
        count[0] += now.isSelected() ? 1 : 0;
        if (keepsTotals) {
            totals.add(now);
        }
        write(now);
    }

    private void compare(FileTuple before, FileTuple next, boolean isDoubled) {
        boolean isOther = before.isSelected() != next.isSelected();
        if (isDoubled || isOther || !before.isSameEntry(next) || !Objects.equals(before.hash(), next.hash())
                || !Objects.equals(before.server(), next.server())) {
            if (isOther) {
                count[next.isSelected() ? 0 : 1]++;
            } else if (next.isSelected()) {
                changed++;
            }
            write(next);
            outdated.add(next.name());
            // A name of which there are two was counted twice.
            keepsTotals &= !isDoubled;
            boolean isGone = before.kind() == EntryKind.DIRECTORY && next.kind() != EntryKind.DIRECTORY;
            if (isGone) {
                removeBelow(before);
            }
            if (keepsTotals) {
                if (!isGone) {
                    totals.remove(before);
                }
                totals.add(next);
            }
        }
    }

    /**
     * Returns the tuple with the hash and the servers that a run has stored which was asked for them. A run that asks
     * for servers keeps those of a failed entry only: any other file without servers has lost them, as a released one
     * does.
     */
    private FileTuple withKnown(FileTuple now, FileTuple before, boolean isFailed) {
        boolean lacksHash = now.hash() == null && before.hash() != null;
        boolean lacksServer = now.server() == null && before.server() != null && (!isLocated || isFailed);
        if (!lacksHash && !lacksServer || !before.hasSameData(now)) {
            return now;
        }
        FileTuple hashed = lacksHash ? now.withHash(before.hash()) : now;
        return lacksServer ? hashed.withServer(before.server()) : hashed;
    }

    private void remove(FileTuple before) {
        count[1] += before.isSelected() ? 1 : 0;
        outdated.add(before.name());
        if (before.kind() == EntryKind.DIRECTORY) {
            removeBelow(before);
        } else if (keepsTotals) {
            totals.remove(before);
        }
    }

    private void write(FileTuple tuple) {
        written.add(tuple);
        writtenBytes += GatheredDirectory.weight(tuple) + tuple.directory().length();
    }

    private void makeRoom(ByteString directory) {
        if (outdated.size() >= PORTION || writtenBytes >= WRITTEN) {
            removeOutdated(directory);
            flush();
        }
    }

    private void removeOutdated(ByteString directory) {
        for (int from = 0; from < outdated.size(); from += PORTION) {
            List<ByteString> names = outdated.subList(from, Math.min(outdated.size(), from + PORTION));
            tuples.remove(FILES.equal(DIRECTORY, directory).in(NAME, names));
        }
        outdated.clear();
    }

    private void removeBelow(FileTuple directory) {
        ByteString path = directory.path();
        for (Template<FileTuple> part : FileIndex.below(path)) {
            count[1] += tuples.remove(isSelective ? part.atLeast(GENERATION, 1L) : part);
            if (isSelective) {
                tuples.remove(part);
            }
        }
        if (keepsTotals) {
            removeTotals(directory, path);
        }
    }

    private void removeTotals(FileTuple directory, ByteString path) {
        try (Stream<DirectoryTotals> found = tuples.contents(DirectoryTotals.entry(path))) {
            Optional<DirectoryTotals> gone = found.findFirst();
            gone.ifPresent(known -> totals.removeTree(directory, known));
            keepsTotals = gone.isPresent();
        }
        tuples.remove(DirectoryTotals.entry(path));
        DirectoryTotals.below(path).forEach(tuples::remove);
    }

    private void flush() {
        if (!written.isEmpty()) {
            tuples.writeAll(written, Lease.FOREVER);
            written.clear();
            writtenBytes = 0;
        }
    }

    @Override
    public void finish(List<IndexedRoot> roots, Optional<IndexCondition> condition) {
        tuples.remove(Template.of(IndexCondition.class));
        condition.ifPresent(one -> tuples.write(one, Lease.FOREVER));
        for (IndexedRoot root : roots) {
            tuples.remove(Template.of(IndexedRoot.class).equal("root", root.root()));
        }
        tuples.writeAll(roots, Lease.FOREVER);
        if (keepsTotals) {
            totals.apply(tuples, FileIndex.roots(tuples));
        } else {
            totals.rebuild(tuples, FileIndex.roots(tuples));
        }
        totals.close();
    }

    @Override
    public Changes changes() {
        long[] all = new long[2];
        counts.values().forEach(one -> {
            all[0] += one[0];
            all[1] += one[1];
        });
        return new Changes(all[0], changed, all[1]);
    }

    @Override
    public TreeLoss loss(ByteString root, long seen) {
        long[] own = Objects.requireNonNull(counts.get(root));
        return new TreeLoss(root, seen - own[0] + own[1], own[1]);
    }
}
