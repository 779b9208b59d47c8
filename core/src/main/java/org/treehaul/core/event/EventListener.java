// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

/**
 * Hears events. Called on the threads that do the work, several at once, so it must be quick and safe for that.
 */
@FunctionalInterface
public interface EventListener {

    /** Hears one event. */
    void onEvent(Event event);

    /** Returns a listener that ignores everything. */
    static EventListener none() {
        return event -> {
        };
    }
}
