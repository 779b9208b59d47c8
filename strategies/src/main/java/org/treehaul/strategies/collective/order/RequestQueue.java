// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.order;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The requests that wait at a storage server, in the order in which to serve them. Requests come by {@link #add}, and
 * the server takes the next one by {@link #next} whenever it can serve one more. Used by one thread at a time.
 *
 * <p>
 * Requests enter a window also while it is served, up to its width, and the rest of it is sorted again. A request that
 * comes to an idle server is served at once. No request waits for ever: only requests of its own window and of earlier
 * ones come before it, and their number is limited by {@link Windows#width}, unless the windows are intervals.
 *
 * @param <T> the work that belongs to a request
 */
public final class RequestQueue<T> {

    private final Windows windows;
    private final RequestOrder order;
    private final int most;
    // By their numbers, which follow each other.
    private final Map<Long, Window<T>> waiting = new HashMap<>();
    private final Map<Long, Last> lasts = new HashMap<>();
    // Those that the request taken last has overtaken.
    private final List<Entry<T>> overtaken = new ArrayList<>();
    private long predicted;
    private long firstNumber;
    private long endNumber;
    private int size;

    /** The last access of an application, and the number of the last window that has a request of it. */
    private record Last(long access, long window) {}

    /** A request that waits. */
    private static final class Entry<T> {
        final CollectiveRequest request;
        final T work;
        // The service times of those that were served before it, and would not have been in the order by application.
        long overtaken;

        Entry(CollectiveRequest request, T work) {
            this.request = request;
            this.work = work;
        }

        CollectiveRequest now() {
            ShuffleHint hint = request.hint();
            return new CollectiveRequest(request.application(), request.access(), request.serviceNanos(),
                    new ShuffleHint(hint.shuffleNanos(), Math.max(0, hint.delayNanos() - overtaken), hint.rank()));
        }
    }

    /** The requests of a window that were not taken yet. */
    private static final class Window<T> {
        final long interval;
        final Set<Long> applications = new HashSet<>();
        // In the order of arrival: orders keep it between requests that are equal to them.
        final List<Entry<T>> entries = new ArrayList<>();
        Deque<Entry<T>> sorted = new ArrayDeque<>();
        int entered;
        boolean isSorted;

        Window(long interval) {
            this.interval = interval;
        }

        void add(Entry<T> entry) {
            entries.add(entry);
            applications.add(entry.request.application());
            entered++;
            isSorted = false;
        }

        Entry<T> take(RequestOrder order) {
            if (entries.size() == 1) {
                return entries.removeFirst();
            }
            if (!isSorted) {
                sorted = new ArrayDeque<>(entries.size());
                for (int index : order.order(entries.stream().map(Entry::now).toList())) {
                    sorted.add(entries.get(index));
                }
                isSorted = true;
            }
            Entry<T> taken = sorted.remove();
            entries.remove(taken);
            return taken;
        }
    }

    /**
     * Makes an empty queue.
     *
     * @param most the most requests that wait at a time
     */
    public RequestQueue(Windows windows, RequestOrder order, int most) {
        if (most < 1) {
            throw new IllegalArgumentException("a queue of " + most);
        }
        this.windows = windows;
        this.order = order;
        this.most = most;
    }

    /**
     * Adds a request.
     *
     * @param arrivalNanos the time of its arrival by any clock, in nanoseconds
     * @return whether there was room
     */
    public boolean add(CollectiveRequest request, long arrivalNanos, T work) {
        if (size == most) {
            return false;
        }
        long interval = windows.intervalNanos() == 0 ? 0 : Math.floorDiv(arrivalNanos, windows.intervalNanos());
        windowFor(request, interval).add(new Entry<>(request, work));
        size++;
        return true;
    }

    private Window<T> windowFor(CollectiveRequest request, long interval) {
        long number = least(request);
        Window<T> found = null;
        while (found == null && number < endNumber) {
            Window<T> window = window(number);
            if (window.entered < windows.width() && window.interval == interval) {
                found = window;
            } else {
                number++;
            }
        }
        if (found == null) {
            number = endNumber++;
            found = new Window<>(interval);
            waiting.put(number, found);
        }
        lasts.put(request.application(), new Last(request.access(), number));
        return found;
    }

    private Window<T> window(long number) {
        return Objects.requireNonNull(waiting.get(number));
    }

    /** Returns the number of the first window that the request may enter. */
    private long least(CollectiveRequest request) {
        if (!windows.isFlexible()) {
            return Math.max(firstNumber, endNumber - 1);
        }
        Last last = lasts.get(request.application());
        return last == null ? firstNumber : last.access == request.access() ? last.window : last.window + 1;
    }

    /** Takes the request to serve next, and returns its work; empty if none waits. */
    public Optional<T> next() {
        if (size == 0) {
            return Optional.empty();
        }
        Window<T> window = window(firstNumber);
        Entry<T> taken = window.take(order);
        predicted = taken.request.serviceNanos();
        overtaken.clear();
        for (Entry<T> entry : window.entries) {
            if (entry.request.application() < taken.request.application()) {
                entry.overtaken += predicted;
                overtaken.add(entry);
            }
        }
        if (window.entries.isEmpty()) {
            long number = firstNumber++;
            waiting.remove(number);
            window.applications.forEach(application -> lasts.computeIfPresent(application,
                    (key, last) -> last.window == number ? null : last));
        }
        size--;
        return Optional.of(taken.work);
    }

    /**
     * Records how long the request that was taken last has kept the server from the next one, in nanoseconds. If that
     * is longer than predicted, those that it has overtaken accept less further delay.
     */
    public void took(long nanos) {
        if (size > 0 && nanos > predicted && !overtaken.isEmpty()) {
            overtaken.forEach(entry -> entry.overtaken += nanos - predicted);
            window(firstNumber).isSorted = false;
        }
    }

    /** Returns the number of requests that wait. */
    public int size() {
        return size;
    }
}
