// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** The events of a simulation: a heap, ordered by time, then by the order of adding, so that a run can be repeated. */
final class EventQueue {

    private static final int BRANCHES = 4;

    private long[] times = new long[1024];
    private long[] orders = new long[1024];
    private int[] targets = new int[1024];
    private @Nullable Object[] contents = new @Nullable Object[1024];
    private int size;
    private long added;

    private long time;
    private int target;
    private @Nullable Object content;

    void add(long when, int where, @Nullable Object what) {
        if (when < time) {
            throw new ArithmeticException("the simulated time is longer than 292 years");
        }
        if (size == times.length) {
            times = Arrays.copyOf(times, size * 2);
            orders = Arrays.copyOf(orders, size * 2);
            targets = Arrays.copyOf(targets, size * 2);
            contents = Arrays.copyOf(contents, size * 2);
        }
        int at = size++;
        long order = added++;
        while (at > 0) {
            int parent = (at - 1) / BRANCHES;
            if (times[parent] <= when) {
                break;
            }
            move(parent, at);
            at = parent;
        }
        set(at, when, order, where, what);
    }

    private void move(int from, int to) {
        set(to, times[from], orders[from], targets[from], contents[from]);
    }

    private void set(int at, long when, long order, int where, @Nullable Object what) {
        times[at] = when;
        orders[at] = order;
        targets[at] = where;
        contents[at] = what;
    }

    private boolean isBefore(int a, int b) {
        return times[a] < times[b] || times[a] == times[b] && orders[a] < orders[b];
    }

    /** Advances to the next event; returns whether there is one. */
    boolean next() {
        if (size == 0) {
            return false;
        }
        time = times[0];
        target = targets[0];
        content = contents[0];
        int last = --size;
        // The last event moves to the top, and from there down.
        int at = 0;
        while (true) {
            int least = last;
            int first = at * BRANCHES + 1;
            for (int child = first; child < Math.min(first + BRANCHES, last); child++) {
                if (isBefore(child, least)) {
                    least = child;
                }
            }
            if (least == last) {
                break;
            }
            move(least, at);
            at = least;
        }
        move(last, at);
        contents[last] = null;
        return true;
    }

    long peekTime() {
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    long time() {
        return time;
    }

    int target() {
        return target;
    }

    @Nullable Object content() {
        return content;
    }
}
