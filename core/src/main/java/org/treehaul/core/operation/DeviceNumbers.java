// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Maps the device numbers of the host that planned to those of this host. Each host numbers network file systems in the
 * order of mounting, so the numbers are not compared directly: the first recognised entry of each planned device
 * determines the number that all others must have. Thread-safe.
 */
final class DeviceNumbers {

    private final ConcurrentMap<Long, Long> here = new ConcurrentHashMap<>();

    /** Returns whether an entry planned on one device may be on another one here. */
    boolean agree(long planned, long found) {
        Long known = here.putIfAbsent(planned, found);
        return known == null || known == found;
    }
}
