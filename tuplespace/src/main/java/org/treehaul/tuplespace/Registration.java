// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

/** The registration of an action for events. Closing it stops the events; an action that is running completes. */
public interface Registration extends AutoCloseable {

    /** Returns its lease. */
    Lease lease();

    /** Returns the number of events that were lost because the action was too slow. */
    long lost();

    @Override
    void close();
}
