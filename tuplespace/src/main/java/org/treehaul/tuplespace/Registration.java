// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

/** That an action is called for events. Closing it ends that; an action that runs just then runs to its end. */
public interface Registration extends AutoCloseable {

    /** Returns its lease. */
    Lease lease();

    /** Returns how many events were lost because the action was slower than they came. */
    long lost();

    @Override
    void close();
}
