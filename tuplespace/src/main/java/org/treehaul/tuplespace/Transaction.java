// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

/**
 * Operations that take effect together at {@link #commit}, or not at all. What was written in it is invisible outside
 * until then; what was taken is locked; what was read can be read by others but not taken. When its lease ends before,
 * it is aborted; so a process that dies gives back what it had taken.
 */
public interface Transaction extends TupleOperations, AutoCloseable {

    /** Returns its lease. */
    Lease lease();

    /**
     * Makes everything visible and lasting.
     *
     * @throws org.treehaul.tuplespace.store.SpaceException TRANSACTION_ENDED when it has ended, and nothing was done
     */
    void commit();

    /** Undoes everything, unless it was committed. */
    @Override
    void close();
}
