// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Divides the memory for requests and their answers among the connections of a server. A connection has memory for a
 * request before the server reads it. Each may have an equal share, and one request of any size if it has none; others
 * wait in the order in which they came. Thread-safe.
 */
final class Budget {

    /** The part of a connection. */
    abstract static class Account {
        private long held;
        private int wanted;

        /** Called when the memory that the connection waited for is its own; not by the thread that waited. */
        abstract void granted();
    }

    private final long all;
    private final ArrayDeque<Account> waiting = new ArrayDeque<>();
    private long free;
    private int accounts;

    /**
     * Creates a budget.
     *
     * @param all bytes, at least those of the largest request
     */
    Budget(long all) {
        this.all = all;
        this.free = all;
    }

    synchronized void join() {
        accounts++;
    }

    /** Takes out a connection, which may still have memory, but does not wait any more. */
    void leave(Account account) {
        List<Account> now;
        synchronized (this) {
            accounts--;
            waiting.remove(account);
            now = grant();
        }
        now.forEach(Account::granted);
    }

    /**
     * Takes memory.
     *
     * @return whether there is enough; else {@link Account#granted} is called later, unless the connection leaves
     */
    synchronized boolean take(Account account, int bytes) {
        account.wanted = bytes;
        waiting.add(account);
        // No other can be among them: nothing was given back.
        return grant().contains(account);
    }

    /** Gives memory back. */
    void giveBack(Account account, int bytes) {
        List<Account> now;
        synchronized (this) {
            account.held -= bytes;
            free += bytes;
            now = grant();
        }
        now.forEach(Account::granted);
    }

    // One that has its share does not keep those behind it waiting.
    private List<Account> grant() {
        if (waiting.isEmpty()) {
            return List.of();
        }
        List<Account> now = new ArrayList<>();
        for (Iterator<Account> rest = waiting.iterator(); rest.hasNext();) {
            Account account = rest.next();
            if (account.wanted > free) {
                break;
            }
            if (mayHave(account)) {
                give(account);
                rest.remove();
                now.add(account);
            }
        }
        return now;
    }

    private boolean mayHave(Account account) {
        return account.wanted <= free
                && (account.held == 0 || account.held + account.wanted <= all / Math.max(1, accounts));
    }

    private void give(Account account) {
        account.held += account.wanted;
        free -= account.wanted;
    }

    /** Returns the bytes that are not taken. */
    synchronized long free() {
        return free;
    }
}
