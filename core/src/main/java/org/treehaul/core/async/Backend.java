// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

/** Carries out requests. */
interface Backend {

    /** Begins a request. Never waits: there are never more of them than the depth of the settings. */
    void submit(Request request);

    /** Ends the threads, when the last request has been answered; the caller begins no other. */
    void end();
}
