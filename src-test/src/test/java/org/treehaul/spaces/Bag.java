// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.util.List;
import java.util.Optional;

import org.treehaul.spaces.Fruits.Thing;

/**
 * The operations that the specification of JavaSpaces gives to a program, for spaces of any kind. Leases and
 * transactions are numbered in the order in which they were made; {@link #NONE} is no transaction.
 */
interface Bag extends AutoCloseable {
    int NONE = -1;

    /** The kinds of searches. */
    enum Way {
        READ,
        TAKE,
        READ_IF_EXISTS,
        TAKE_IF_EXISTS;

        boolean isIfExists() {
            return this == READ_IF_EXISTS || this == TAKE_IF_EXISTS;
        }
    }

    /** A waiting caller. */
    interface Waiting {

        /** Returns whether earlier operations have served the caller; this may become true with a delay. */
        boolean isServed() throws Exception;

        /** Returns the tuple that the caller got, or nothing if its wait has ended without one. */
        Optional<Thing> got() throws Exception;
    }

    /**
     * An event.
     *
     * @param isNewlyVisible whether the thing was invisible before, and not only held
     */
    record Heard(Thing thing, boolean isNewlyVisible) {}

    /** The transaction or the lease has ended. */
    final class EndedException extends Exception {
        private static final long serialVersionUID = 1;

        EndedException(Throwable cause) {
            super(cause);
        }
    }

    /** Writes things for ever, all or none. */
    void write(List<Thing> things, int transaction) throws Exception;

    /** Writes two things, the second for a moment only, and waits until that has passed. */
    void writeBriefly(Thing lasting, Thing brief) throws Exception;

    /** Finds something without waiting. */
    Optional<Thing> find(Way way, Thing template, int transaction) throws Exception;

    /** Begins to wait for something as long as it takes, and returns when it waits. */
    Waiting await(Way way, Thing template, int transaction) throws Exception;

    /** Begins to wait for some of all that matches one of these, as {@link #await} does. */
    Waiting awaitSome(List<Thing> templates, int transaction) throws Exception;

    /** Takes some of all that matches one of these, at least one if there is any, without waiting. */
    List<Thing> takeSome(List<Thing> templates, int max, int transaction) throws Exception;

    /** Takes all that matches one of these, in any order. */
    List<Thing> takeAll(List<Thing> templates, int transaction) throws Exception;

    /**
     * Returns what can be seen and matches one of these, in any order: all, or {@code max} if there are more. A
     * transaction has read it.
     */
    List<Thing> contents(List<Thing> templates, int max, int transaction) throws Exception;

    void begin();

    void end(int transaction, boolean isCommit) throws Exception;

    /** Lets a lease end in a moment, and waits until it has. */
    void expire(int lease) throws Exception;

    void cancel(int lease) throws Exception;

    /**
     * Registers for written tuples that match the first template, and for tuples that match one of the templates and
     * become available or visible.
     */
    void listen(List<Thing> templates) throws Exception;

    /** Registers, in a transaction, for tuples that match one of the templates and become available. */
    void listenIn(List<Thing> templates, int transaction) throws Exception;

    /** Returns the events of which it was notified in a transaction. */
    List<Heard> heardIn(int transaction);

    /** Returns how often it was notified of a written tuple. */
    int writesHeard();

    /** Returns the events of tuples that became available. */
    List<Heard> availableHeard();

    /** Returns the events of tuples that became visible. */
    List<Heard> visibleHeard();

    @Override
    void close();
}
