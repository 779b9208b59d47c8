// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.annotation.Internal;

/** Divides files where their data change the holders, so that each piece is on the same holders. */
@Internal
public final class LayoutCuts {

    /** The most pieces of a file. */
    public static final int MOST_PIECES = 4096;

    private LayoutCuts() {}

    /**
     * Returns the offsets at which a file is divided, in ascending order, each greater than 0 and less than the size;
     * none if all of the file is on the same holders. Where extents overlap, the first one counts. A file whose holders
     * change more often is divided into {@link #MOST_PIECES} equal pieces.
     *
     * @param size the size of the file in bytes, at least 0
     */
    public static List<Long> of(DataLayout layout, long size) {
        List<Long> cuts = new ArrayList<>();
        List<DataPlace> before = List.of();
        for (long at = 0; at < size; at = endOfRange(layout, at)) {
            List<DataPlace> places = placesOf(layout, at);
            if (at > 0 && !places.equals(before)) {
                if (cuts.size() == MOST_PIECES - 1) {
                    return equal(size);
                }
                cuts.add(at);
            }
            before = places;
        }
        return List.copyOf(cuts);
    }

    private static List<Long> equal(long size) {
        long piece = (size - 1) / MOST_PIECES + 1;
        List<Long> cuts = new ArrayList<>();
        for (long at = piece; at < size; at += piece) {
            cuts.add(at);
        }
        return cuts;
    }

    private static List<DataPlace> placesOf(DataLayout layout, long offset) {
        return covering(layout, offset).flatMap(extent -> extent.holdersOf(offset))
                .map(Holders::places)
                .orElse(List.of());
    }

    private static Optional<DataExtent> covering(DataLayout layout, long offset) {
        return layout.extents()
                .stream()
                .filter(extent -> !extent.holders().isEmpty() && offset >= extent.offset() && offset < extent.end())
                .findFirst();
    }

    // From the offset to before the end the holders are the same.
    private static long endOfRange(DataLayout layout, long offset) {
        long end = covering(layout, offset).map(extent -> extent.endOfStripe(offset)).orElse(Long.MAX_VALUE);
        // An extent that is earlier in the list takes over where it begins.
        for (DataExtent extent : layout.extents()) {
            if (extent.offset() > offset && extent.offset() < end) {
                end = extent.offset();
            }
        }
        return end;
    }
}
