// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** Tells the ranks of a group why it is broken. The first reason counts. Used by any thread. */
class Lifeline {

    private final List<Consumer<String>> listeners = new ArrayList<>();
    private @Nullable String reason;

    /** Calls somebody when the group breaks, or now if it is broken. */
    final void onBreak(Consumer<String> listener) {
        String already;
        synchronized (listeners) {
            listeners.add(listener);
            already = reason;
        }
        if (already != null) {
            listener.accept(already);
        }
    }

    /** This rank found that the group is broken: all others are to know. */
    void report(String why) {
        broken(why);
    }

    /** Calls the listeners, unless that was done before. */
    final void broken(String why) {
        List<Consumer<String>> told;
        synchronized (listeners) {
            if (reason != null) {
                return;
            }
            reason = why;
            told = List.copyOf(listeners);
        }
        told.forEach(listener -> listener.accept(why));
    }

    /** Returns why the group is broken; null while it is not. */
    final @Nullable String reason() {
        synchronized (listeners) {
            return reason;
        }
    }
}
