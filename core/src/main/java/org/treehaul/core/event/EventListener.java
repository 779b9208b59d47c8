// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

/** Receives events. Called on the threads that do the work, several at once, so it must be quick and thread-safe. */
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
