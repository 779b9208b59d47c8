// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** Reports to the ranks of a group why it is broken. The first reason counts. Safe for any thread. */
class Lifeline {

    private final List<Consumer<String>> listeners = new ArrayList<>();
    private @Nullable String reason;

    /** Registers a listener to call when the group breaks; calls it at once if it is broken already. */
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

    /** Reports to all other ranks that this rank found the group broken. */
    void report(String why) {
        broken(why);
    }

    /** Calls the listeners, unless it did so before. */
    final void broken(String why) {
        List<Consumer<String>> notified;
        synchronized (listeners) {
            if (reason != null) {
                return;
            }
            reason = why;
            notified = List.copyOf(listeners);
        }
        notified.forEach(listener -> listener.accept(why));
    }

    /** Returns why the group is broken; null while it is not. */
    final @Nullable String reason() {
        synchronized (listeners) {
            return reason;
        }
    }
}
