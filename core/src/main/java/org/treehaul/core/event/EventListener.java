// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

/**
 * Receives events. Several worker threads may call it at the same time, so an implementation must be quick and
 * thread-safe.
 */
@FunctionalInterface
public interface EventListener {

    /** Receives one event. */
    void onEvent(Event event);

    /** Returns a listener that ignores everything. */
    static EventListener none() {
        return event -> {
        };
    }
}
