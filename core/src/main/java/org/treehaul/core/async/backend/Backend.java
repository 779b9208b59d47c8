// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.backend;

/**
 * Carries out requests. Thread-safe.
 *
 * <p>
 * Each request is answered once, after the call of {@link #submit} has returned or on another thread, and on a thread
 * for which {@link IoThread#isCurrent()} holds: a callback must not run within a call, nor within another callback.
 */
public interface Backend {

    /** Begins a request. Never waits: there are never more of them than the depth of the settings. */
    void submit(Request request);

    /** Ends the threads, when the last request has been answered; the caller begins no other. */
    void end();
}
