// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

/**
 * How many workers may write below a directory at the same time.
 *
 * @param place the absolute path of the directory
 * @param most the number; 0 for no bound
 * @param slots the number of slots that exist, at least {@code most}
 */
public record PlaceBound(String place, int most, int slots) {

    /** Returns whether a destination is the directory or below it. */
    boolean covers(String destination) {
        String directory = place.endsWith("/") ? place : place + "/";
        return most > 0 && (destination + "/").startsWith(directory);
    }
}
