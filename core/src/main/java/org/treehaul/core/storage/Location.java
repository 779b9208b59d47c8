// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.util.List;

/**
 * A range of a file and the hosts that keep its data, so that work can be given to a process near them. Immutable.
 *
 * @param offset the first byte of the range, at least 0
 * @param length the number of bytes, at least 1
 * @param hosts the names of the hosts, nearest or best first where the store has an order; at least one, none blank
 */
public record Location(long offset, long length, List<String> hosts) {

    /** Checks the range and the names. */
    public Location {
        hosts = List.copyOf(hosts);
        if (offset < 0 || length < 1 || length > Long.MAX_VALUE - offset) {
            throw new IllegalArgumentException("not a range: " + length + " bytes at " + offset);
        }
        if (hosts.isEmpty() || hosts.stream().anyMatch(String::isBlank)) {
            throw new IllegalArgumentException("not the names of hosts: " + hosts);
        }
    }

    /** Returns the offset after the last byte of the range. */
    public long end() {
        return offset + length;
    }
}
