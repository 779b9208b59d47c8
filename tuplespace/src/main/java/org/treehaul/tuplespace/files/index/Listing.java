// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileTuple;

/**
 * The entries found in a directory, or in a part of it.
 *
 * @param place the directory, whose parts belong together
 * @param directory absolute path of the directory
 * @param entries entries found and not passed on before
 * @param failures names of entries that could not be read completely, not passed on before
 * @param extent how much of the directory is known with this listing
 * @param weight approximate bytes of memory that the listing takes
 * @param sum sum of the {@link EntrySum} of all entries of the directory; null unless the listing is whole and the sum
 *        was asked for
 */
record Listing(Place place, ByteString directory, List<FileTuple> entries, Map<ByteString, EntryFailure.Kind> failures,
        Extent extent, long weight, @Nullable Long sum) {

    /** The extent of a listing. */
    enum Extent {
        /** A part; more follows. */
        PART,
        /** The end of a listing that an error cut short. */
        CUT,
        /** The end of a complete listing. */
        WHOLE
    }

    /** Returns a copy with other entries. */
    Listing with(List<FileTuple> others) {
        return new Listing(place, directory, others, failures, extent, weight, sum);
    }

    /** Returns the entries to store once nothing follows, with a mark on directories that could not be read. */
    List<FileTuple> settled() {
        if (failures.isEmpty()) {
            return entries;
        }
        List<FileTuple> settled = new ArrayList<>(entries.size());
        for (FileTuple entry : entries) {
            settled(entry, failures.get(entry.name())).ifPresent(settled::add);
        }
        return settled;
    }

    /** Returns an entry as it should be stored after this failure: a directory is marked as unread, or is gone. */
    static Optional<FileTuple> settled(FileTuple entry, EntryFailure.@Nullable Kind failure) {
        if (failure == null || entry.kind() != EntryKind.DIRECTORY) {
            return Optional.of(entry);
        }
        return failure == EntryFailure.Kind.VANISHED
                ? Optional.empty()
                : Optional.of(entry.withUnread(true, entry.generation()));
    }

    /** Returns the failure to keep of two with the same name: after an error, more is unknown. */
    static EntryFailure.Kind worse(EntryFailure.Kind one, EntryFailure.Kind other) {
        return one == EntryFailure.Kind.ERROR ? one : other;
    }
}
