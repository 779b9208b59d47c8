// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Compares what was found with what a space has, directory by directory, and changes what differs.
 *
 * <p>
 * Only a whole listing says that something is gone. What stands below a directory that was not listed is not touched.
 */
final class NextSink implements IndexSink {

    private static final Template<FileTuple> FILES = Template.of(FileTuple.class);
    private static final String DIRECTORY = FileField.DIRECTORY.label();
    private static final String NAME = FileField.NAME.label();
    // A statement of SQLite takes 250,000 values, and no more than these gain nothing.
    private static final int PORTION = 4096;

    private final TupleOperations tuples;
    private final Map<ByteString, EntryFailure.Kind> failures;
    private final List<FileTuple> written = new ArrayList<>();
    /** Paths that the space has more than once, as it has from versions that read roots in each other at once. */
    private final Set<ByteString> doubled = new HashSet<>();
    private long changed;
    /** How many entries were added to a root, and removed from it. */
    private final Map<ByteString, long[]> counts = new HashMap<>();
    private ByteString current;
    private long[] count;

    /**
     * Begins.
     *
     * @param roots the whole paths of the trees that are read
     * @param failures the whole paths of what could not be read, which others add to
     */
    NextSink(TupleOperations tuples, List<ByteString> roots, Map<ByteString, EntryFailure.Kind> failures) {
        this.tuples = tuples;
        this.failures = failures;
        roots.forEach(root -> counts.put(root, new long[2]));
        current = ByteString.empty();
        count = new long[2];
        counts.put(current, count);
    }

    /** Counts for the root that an entry is in from now on: the innermost, or none for the entry of a root itself. */
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
    public void put(List<Listing> listings) {
        List<Listing> apart = new ArrayList<>();
        Set<ByteString> directories = new HashSet<>();
        for (Listing listing : listings) {
            if (!directories.add(listing.directory())) {
                // Roots stand in each other: the second walk is to see what the first has brought.
                putApart(apart);
                apart.clear();
                directories.clear();
                directories.add(listing.directory());
            }
            apart.add(listing);
        }
        putApart(apart);
    }

    private void putApart(List<Listing> listings) {
        doubled.clear();
        Set<ByteString> directories = new HashSet<>();
        listings.stream().filter(Listing::isWhole).forEach(listing -> directories.add(listing.directory()));
        Map<ByteString, Map<ByteString, FileTuple>> known = directories.isEmpty()
                ? Map.of()
                : read(FILES.in(DIRECTORY, directories));
        for (Listing listing : listings) {
            if (listing.isWhole()) {
                compare(listing, known.getOrDefault(listing.directory(), Map.of()));
            } else if (!listing.entries().isEmpty()) {
                List<ByteString> names = listing.entries().stream().map(FileTuple::name).toList();
                compare(listing, read(FILES.equal(DIRECTORY, listing.directory()).in(NAME, names))
                        .getOrDefault(listing.directory(), Map.of()));
            }
        }
        flush();
    }

    @Override
    public void putRoot(FileTuple root) {
        put(List.of(new Listing(root.directory(), List.of(root), Set.of(), false)));
    }

    private Map<ByteString, Map<ByteString, FileTuple>> read(Template<FileTuple> template) {
        Map<ByteString, Map<ByteString, FileTuple>> known = new HashMap<>();
        try (Stream<FileTuple> stream = tuples.contents(template)) {
            stream.forEach(tuple -> {
                Map<ByteString, FileTuple> inside = known.computeIfAbsent(tuple.directory(), d -> new HashMap<>());
                if (inside.put(tuple.name(), tuple) != null) {
                    doubled.add(tuple.path());
                }
            });
        }
        return known;
    }

    private void compare(Listing listing, Map<ByteString, FileTuple> known) {
        countFor(listing.directory());
        List<ByteString> outdated = new ArrayList<>();
        Set<ByteString> seen = new HashSet<>(listing.earlier());
        for (FileTuple now : listing.entries()) {
            seen.add(now.name());
            FileTuple before = known.get(now.name());
            if (before == null) {
                count[0]++;
                written.add(now);
                continue;
            }
            FileTuple next = now.hash() == null && before.hash() != null && before.hasSameData(now)
                    ? now.withHash(before.hash())
                    : now;
            if (!before.isSameEntry(next) || !Objects.equals(before.hash(), next.hash())
                    || !doubled.isEmpty() && doubled.contains(now.path())) {
                changed++;
                written.add(next);
                outdated.add(now.name());
                if (before.kind() == EntryKind.DIRECTORY && next.kind() != EntryKind.DIRECTORY) {
                    removeBelow(before.path());
                }
            }
        }
        if (listing.isWhole()) {
            for (FileTuple before : known.values()) {
                if (!seen.contains(before.name()) && failures.get(before.path()) != EntryFailure.Kind.ERROR) {
                    count[1]++;
                    outdated.add(before.name());
                    if (before.kind() == EntryKind.DIRECTORY) {
                        removeBelow(before.path());
                    }
                }
            }
        }
        for (int from = 0; from < outdated.size(); from += PORTION) {
            List<ByteString> names = outdated.subList(from, Math.min(outdated.size(), from + PORTION));
            tuples.remove(FILES.equal(DIRECTORY, listing.directory()).in(NAME, names));
        }
    }

    private void removeBelow(ByteString directory) {
        count[1] += tuples.remove(FILES.equal(DIRECTORY, directory));
        count[1] += tuples.remove(FILES.prefix(DIRECTORY, FileTuple.join(directory, ByteString.empty())));
    }

    private void flush() {
        if (!written.isEmpty()) {
            tuples.writeAll(written, Lease.FOREVER);
            written.clear();
        }
    }

    @Override
    public void finish(List<IndexedRoot> roots) {
        for (IndexedRoot root : roots) {
            tuples.remove(Template.of(IndexedRoot.class).equal("root", root.root()));
        }
        tuples.writeAll(roots, Lease.FOREVER);
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
