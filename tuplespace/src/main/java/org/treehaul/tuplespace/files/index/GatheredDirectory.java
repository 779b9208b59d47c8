// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileTuple;

/**
 * The entries found so far in a directory that is being walked; thread-safe. Most directories pass their entries on
 * when the walk leaves them, because only then is it known which subdirectories could be read; a large one passes them
 * on in parts.
 */
final class GatheredDirectory {

    /** Approximate bytes that a tuple takes besides its names. */
    static final int ENTRY = 320;
    /** Bytes that even an empty listing takes. */
    private static final int LISTING = 8 * ENTRY;
    // A part that waits for the end of its directory takes hardly less memory than this.
    private static final long WORTH_A_PART = 4 * ENTRY;

    // Only the uppermost directories have paths this short, so the memory for these paths is bounded.
    private static final int SHORT = 1024;

    private final Place place;
    private final ByteString root;
    private final @Nullable ByteString shortPath;
    private final boolean isElsewhere;
    private final boolean isSpace;
    private final long part;
    private final LongAdder held;
    private final @Nullable EntrySum sums;
    private @Nullable KnownFiles known;
    private long sum;
    // Long paths are added when the entries are passed on: one per directory on the way down would take too much
    // memory.
    private List<FileTuple> entries = new ArrayList<>();
    private long weight;

    /**
     * Creates the collection of one directory.
     *
     * @param root absolute path of the directory's root
     * @param isElsewhere whether the directory is on another file system, which the walk does not enter
     * @param isSpace whether this is the directory of the space, whose files must not be opened; false if none is
     * @param part bytes after which a part is passed on
     * @param held counts the bytes that all directories hold together
     * @param known the files of the directory in the index, if they were requested
     * @param sums computes the sum of the listing; null if it is not asked for
     */
    GatheredDirectory(Place place, ByteString root, boolean isElsewhere, boolean isSpace, long part, LongAdder held,
            @Nullable KnownFiles known, @Nullable EntrySum sums) {
        this.place = place;
        this.root = root;
        ByteString path = place.whole(root);
        this.shortPath = path.length() > SHORT ? null : path;
        this.isElsewhere = isElsewhere;
        this.isSpace = isSpace;
        this.part = part;
        this.held = held;
        this.known = known;
        this.sums = sums;
        held.add(known == null ? 0 : known.weight());
    }

    Place place() {
        return place;
    }

    ByteString path() {
        return shortPath == null ? place.whole(root) : shortPath;
    }

    /** Returns the directory to set in added entries: this directory's path, or empty if that is long. */
    ByteString pathForEntries() {
        return shortPath == null ? ByteString.empty() : shortPath;
    }

    boolean isElsewhere() {
        return isElsewhere;
    }

    boolean isSpace() {
        return isSpace;
    }

    /** Returns the file in the index with this name, or null. */
    @Nullable FileTuple known(ByteString name) {
        KnownFiles files;
        synchronized (this) {
            files = known;
        }
        return files == null ? null : files.get(name);
    }

    /** Adds an entry with the directory {@link #pathForEntries}; returns a part to pass on when there is enough. */
    Optional<Listing> add(FileTuple entry) {
        return addAll(List.of(entry));
    }

    /** Adds several entries as {@link #add} adds one. */
    Optional<Listing> addAll(List<FileTuple> some) {
        long numbers = 0;
        long more = 0;
        for (FileTuple entry : some) {
            numbers += sums == null ? 0 : sums.of(entry);
            more += weight(entry);
        }
        held.add(more);
        return add(some, numbers, more);
    }

    private synchronized Optional<Listing> add(List<FileTuple> some, long numbers, long more) {
        sum += numbers;
        entries.addAll(some);
        weight += more;
        return weight < part ? Optional.empty() : Optional.of(take(Map.of(), Listing.Extent.PART));
    }

    /** Returns the approximate bytes that a tuple takes besides its directory. */
    static long weight(FileTuple entry) {
        ByteString target = entry.target();
        ByteString server = entry.server();
        return (long) ENTRY + entry.name().length() + (target == null ? 0 : target.length())
                + (server == null ? 0 : server.length());
    }

    /** Frees the memory that the directory does not need before its end; returns entries to pass on. */
    synchronized Optional<Listing> shrink() {
        if (known != null) {
            held.add(-known.weight());
            known = known.forget();
        }
        if (weight < WORTH_A_PART) {
            return Optional.empty();
        }
        List<FileTuple> kept = entries.stream().filter(entry -> entry.kind() == EntryKind.DIRECTORY).toList();
        long keptWeight = kept.stream().mapToLong(GatheredDirectory::weight).sum();
        if (keptWeight >= WORTH_A_PART) {
            return Optional.of(take(Map.of(), Listing.Extent.PART));
        }
        entries.removeIf(entry -> entry.kind() == EntryKind.DIRECTORY);
        weight -= keptWeight;
        Optional<Listing> part = Optional.of(take(Map.of(), Listing.Extent.PART));
        entries.addAll(kept);
        weight += keptWeight;
        return part;
    }

    /**
     * Ends the directory and returns the entries that were not passed on yet.
     *
     * @param failures failures of its entries that were not passed on yet
     * @param isWhole whether the listing was read to its end
     */
    synchronized Listing end(Map<ByteString, EntryFailure.Kind> failures, boolean isWhole) {
        if (known != null) {
            held.add(-known.weight());
            known = null;
        }
        return take(failures, isWhole ? Listing.Extent.WHOLE : Listing.Extent.CUT);
    }

    private Listing take(Map<ByteString, EntryFailure.Kind> failures, Listing.Extent extent) {
        ByteString path = path();
        List<FileTuple> taken = entries;
        if (shortPath == null) {
            taken.replaceAll(entry -> entry.in(path));
        }
        long taking = weight;
        entries = new ArrayList<>();
        weight = 0;
        held.add(-taking);
        return new Listing(place, path, taken, failures, extent,
                LISTING + taking + path.length() + (long) failures.size() * ENTRY,
                sums == null || extent != Listing.Extent.WHOLE ? null : sum);
    }
}
