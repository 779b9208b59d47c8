// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.util.List;

/**
 * The places that together store the same part of a file. Immutable.
 *
 * @param kind the relation between the places
 * @param places at least one place, in the order in which the file system names them
 */
public record Holders(Kind kind, List<DataPlace> places) {

    /** The relation between several places of the same part. */
    public enum Kind {
        /** Each place has all of the data. */
        COPIES,
        /** Each place has a fragment; several are needed to read the data (erasure coding). */
        FRAGMENTS
    }

    /**
     * Creates holders.
     *
     * @throws IllegalArgumentException if there is no place
     */
    public Holders {
        places = List.copyOf(places);
        if (places.isEmpty()) {
            throw new IllegalArgumentException("no place");
        }
    }

    /** Creates the holders of data that are in one place only. */
    public static Holders of(DataPlace place) {
        return new Holders(Kind.COPIES, List.of(place));
    }
}
