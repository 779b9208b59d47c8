// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.servers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers for lists of servers: each list has the servers that store one and the same part of a file. Number 0 is the
 * empty list: no server is known, or the part is spread over several. Thread-safe.
 */
public final class ServerTable {

    /** The number of the empty list. */
    public static final int ANY = 0;

    // Bounds the memory: files with copies on two of many servers may have any two of them.
    private static final int MOST = 10_000;

    // Both guarded by this.
    private final Map<List<String>, Integer> numbers = new HashMap<>();
    private final List<List<String>> lists = new ArrayList<>();

    public ServerTable() {
        number(List.of());
    }

    /**
     * Returns the number of a list; that of the empty list if there are too many already. A list of one server always
     * has a number.
     */
    public synchronized int number(List<String> servers) {
        Integer known = numbers.get(servers);
        if (known != null) {
            return known;
        }
        if (lists.size() > MOST && servers.size() > 1) {
            return ANY;
        }
        int number = lists.size();
        lists.add(List.copyOf(servers));
        numbers.put(lists.getLast(), number);
        return number;
    }

    /** Returns the list with a number. */
    public synchronized List<String> servers(int number) {
        return lists.get(number);
    }

    /** Returns how many lists there are, with the empty one; they are numbered from 0. */
    public synchronized int count() {
        return lists.size();
    }
}
