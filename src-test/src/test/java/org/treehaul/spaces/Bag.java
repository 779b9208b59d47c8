// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.util.List;
import java.util.Optional;

import org.treehaul.spaces.Fruits.Thing;

/**
 * What the specification of JavaSpaces lets a program do, for spaces of any kind. Leases and transactions go by the
 * order in which they were made, {@link #NONE} is no transaction.
 */
interface Bag extends AutoCloseable {
    int NONE = -1;

    /** How something is looked for. */
    enum Way {
        READ,
        TAKE,
        READ_IF_EXISTS,
        TAKE_IF_EXISTS;

        boolean isIfExists() {
            return this == READ_IF_EXISTS || this == TAKE_IF_EXISTS;
        }
    }

    /** Somebody who waits. */
    interface Waiting {

        /** Tells whether what was done so far has brought him what he waits for; it may say so late. */
        boolean isServed() throws Exception;

        /** Returns what he got, nothing where there is nothing left to wait for. */
        Optional<Thing> got() throws Exception;
    }

    /** The transaction or the lease has ended. */
    final class EndedException extends Exception {
        private static final long serialVersionUID = 1;

        EndedException(Throwable cause) {
            super(cause);
        }
    }

    /** Writes things for ever, all or none. */
    void write(List<Thing> things, int transaction) throws Exception;

    /** Finds something without waiting. */
    Optional<Thing> find(Way way, Thing template, int transaction) throws Exception;

    /** Begins to wait for something as long as it takes, and returns when it waits. */
    Waiting await(Way way, Thing template, int transaction) throws Exception;

    /** Takes all that matches one of these, in any order. */
    List<Thing> takeAll(List<Thing> templates, int transaction) throws Exception;

    /** Returns all that can be seen and matches one of these, in any order; a transaction has read it. */
    List<Thing> contents(List<Thing> templates, int transaction) throws Exception;

    void begin();

    void end(int transaction, boolean isCommit) throws Exception;

    /** Lets a lease end in a moment, and waits until it has. */
    void expire(int lease) throws Exception;

    void cancel(int lease) throws Exception;

    /**
     * Wants to hear of what is written and matches the first of these, and of what can be taken, or be seen, that could
     * not be before, and matches one of them.
     */
    void listen(List<Thing> templates) throws Exception;

    /** Wants to hear, in a transaction, of what it can take that it could not before, and matches one of these. */
    void listenIn(List<Thing> templates, int transaction) throws Exception;

    /** Returns what it was told in a transaction. */
    List<Thing> heardIn(int transaction);

    /** Returns how often it was told of something written. */
    int writesHeard();

    /** Returns what it was told that can be taken. */
    List<Thing> availableHeard();

    /** Returns what it was told that can be seen. */
    List<Thing> visibleHeard();

    @Override
    void close();
}
