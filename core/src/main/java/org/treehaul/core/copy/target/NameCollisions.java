// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.listing.DirectoryRecords;

/**
 * Prevents the copy of one name from replacing the copy of another that the destination considers equal, as file
 * systems do that ignore case. Checked only when the target name exists already, so a new tree costs nothing; the first
 * check in a directory looks up the name in the other case. Not safe for several threads.
 */
public final class NameCollisions {

    private static final int LISTING_BYTES = 32 * 1024;
    private static final NameMatching EXACT = new NameMatching(false, Map.of());

    private final TargetRoots roots;
    private final FileAccess access;
    private final MemorySegment otherName = Arena.ofAuto().allocate(4096);
    // Separate from the scratch memory of the access, which holds the name and data of the current copy. Allocated when
    // needed, which is rare.
    private @Nullable MemorySegment records;

    NameCollisions(TargetRoots roots, FileAccess access) {
        this.roots = roots;
        this.access = access;
    }

    /**
     * Throws if another entry in the source has, or will have, this name at the destination.
     *
     * @param source the directory of the source that contains the name, or null for a root
     * @param target the directory at the destination, in which the name exists
     * @param descriptor descriptor of the target
     */
    public void check(@Nullable Directory source, TargetDirectory target, int descriptor, ByteString name)
            throws TargetException {
        NameMatching matching = target.matching();
        if (matching != null && !matching.folds()) {
            return;
        }
        try {
            if (matching == null) {
                matching = look(source, target, descriptor, name);
                target.matchesBy(matching);
            }
            if (matching != null && matching.folds()) {
                checkTwins(matching, descriptor, name);
            }
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    // Returns null for a name without case, which does not show how the directory compares names.
    private @Nullable NameMatching look(@Nullable Directory source, TargetDirectory target, int descriptor,
            ByteString name) throws SystemCallException {
        ByteString other = FoldedName.inOtherCase(name);
        if (other == null) {
            return null;
        }
        if (exists(descriptor, other) && !isListed(descriptor, List.of(name, other))) {
            return new NameMatching(true, twins(source, target));
        }
        return FoldedName.hasFoldedLetters(name) ? EXACT : null;
    }

    private void checkTwins(NameMatching matching, int descriptor, ByteString name)
            throws SystemCallException, TargetException {
        for (ByteString twin : matching.twins().getOrDefault(FoldedName.of(name), List.of())) {
            // If the destination lists both, it folds less than assumed here.
            if (!twin.equals(name) && exists(descriptor, twin) && !isListed(descriptor, List.of(name, twin))) {
                throw new TargetException("replace the copy of a name that differs only in case", Errno.EEXIST);
            }
        }
    }

    private boolean exists(int directory, ByteString name) throws SystemCallException {
        return access.find(directory, FileAccess.put(otherName, name), false) != null;
    }

    private boolean isListed(int directory, Collection<ByteString> names) throws SystemCallException {
        List<ByteString> missing = new ArrayList<>(names);
        list(directory, missing::remove);
        return missing.isEmpty();
    }

    private Map<String, List<ByteString>> twins(@Nullable Directory source, TargetDirectory target)
            throws SystemCallException {
        if (source == null) {
            return among(roots.namesIn(target, access)::forEach);
        }
        int descriptor = source.acquire(access);
        try {
            return among(names -> list(descriptor, names));
        } finally {
            source.release();
        }
    }

    private interface Names {
        void forEach(Consumer<ByteString> consumer) throws SystemCallException;
    }

    // Keeps eight bytes for each name in the directory, and the whole name only for colliding ones: a directory may
    // contain millions.
    private static Map<String, List<ByteString>> among(Names names) throws SystemCallException {
        LongList hashes = new LongList();
        names.forEach(name -> hashes.add(FoldedName.hash(name)));
        long[] twice = hashes.repeated();
        Map<String, List<ByteString>> twins = new HashMap<>();
        if (twice.length > 0) {
            names.forEach(name -> {
                if (Arrays.binarySearch(twice, FoldedName.hash(name)) >= 0) {
                    twins.computeIfAbsent(FoldedName.of(name), k -> new ArrayList<>()).add(name);
                }
            });
        }
        return twins;
    }

    private static final class LongList {
        private long[] values = new long[1024];
        private int size;

        void add(long value) {
            if (size == values.length) {
                values = Arrays.copyOf(values, 2 * size);
            }
            values[size++] = value;
        }

        long[] repeated() {
            Arrays.sort(values, 0, size);
            int kept = 0;
            for (int i = 1; i < size; i++) {
                if (values[i] == values[i - 1]) {
                    values[kept++] = values[i];
                }
            }
            return Arrays.copyOf(values, kept);
        }
    }

    // Opens a descriptor of its own: the position of a shared one belongs to the walk.
    private void list(int directory, Consumer<ByteString> names) throws SystemCallException {
        int descriptor = access.open(directory, FileAccess.DOT, O_DIRECTORY | O_NONBLOCK, 0);
        try {
            MemorySegment listing = records == null ? Arena.ofAuto().allocate(LISTING_BYTES, 8) : records;
            records = listing;
            DirectoryRecords.forEach(access, descriptor, listing,
                    (block, at) -> names.accept(ByteString.of(DirectoryRecords.nameBytes(block, at))));
        } finally {
            access.closeQuietly(descriptor);
        }
    }
}
