// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.Objects;

/**
 * A segment that a server has. Immutable.
 *
 * @param key its name
 * @param size its size in bytes
 */
public record StoredSegment(SegmentKey key, long size) {

    public StoredSegment {
        Objects.requireNonNull(key);
    }
}
