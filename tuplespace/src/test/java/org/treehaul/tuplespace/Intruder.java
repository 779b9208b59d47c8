// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;

import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

/** Counts the calls that change stores, and does something at one of them. */
final class Intruder {
    private static final Set<String> CHANGES = Set.of("write", "writeWhile", "attempt", "takeAll", "remove", "renew",
            "renewAll", "cancel", "cancelAll", "begin", "beginAlone", "renewTransaction", "commit", "abort");

    /** The number of the call before or after which the work is done; zero for none. */
    private final int at;
    private final boolean isAfter;
    private final Runnable work;
    private final Set<String> counted;
    /** Whether the work is done at all later calls too. */
    private final boolean isLasting;
    private int calls;
    private boolean isDead;

    /** The death of the process that uses the stores, as far as they can notice. */
    static final class Death extends Error {
        private static final long serialVersionUID = 1;
    }

    Intruder(int at, boolean isAfter, Runnable work) {
        this(at, isAfter, work, CHANGES, false);
    }

    private Intruder(int at, boolean isAfter, Runnable work, Set<String> counted, boolean isLasting) {
        this.at = at;
        this.isAfter = isAfter;
        this.work = work;
        this.counted = counted;
        this.isLasting = isLasting;
    }

    /** Returns one that does something before or after one call of a method. */
    static Intruder of(String method, int at, boolean isAfter, Runnable work) {
        return new Intruder(at, isAfter, work, Set.of(method), false);
    }

    /** Returns one that does something before each call. */
    static Intruder always(Runnable work) {
        return new Intruder(1, false, work, CHANGES, true);
    }

    /** Returns one that makes a call fail, before or after it has done its work, and maybe all later ones. */
    static Intruder failing(int at, boolean isAfter, boolean isLasting) {
        Set<String> counted = new HashSet<>(CHANGES);
        if (isAfter) {
            // A store that has locked others out does not fail.
            counted.remove("beginAlone");
        }
        return new Intruder(at, isAfter, () -> {
            throw new SpaceException(SpaceException.Reason.IO, "the store cannot be reached");
        }, counted, isLasting);
    }

    /** Returns one that ends the process: the call, and all after it, fail and do nothing more. */
    static Intruder killing(int at, boolean isAfter) {
        return new Intruder(at, isAfter, () -> {
            throw new Death();
        });
    }

    /** Returns the number of calls so far, of the one method if there is only that. */
    int calls() {
        return calls;
    }

    Store around(Store store) {
        return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[]{Store.class},
                (proxy, method, arguments) -> {
                    if (isDead) {
                        throw new Death();
                    }
                    boolean isHere = counted.contains(method.getName())
                            && (++calls == at || isLasting && at > 0 && calls > at);
                    if (isHere && !isAfter) {
                        run();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        if (isHere && isAfter) {
                            run();
                        }
                    }
                });
    }

    private void run() {
        try {
            work.run();
        } catch (Death e) {
            isDead = true;
            throw e;
        }
    }
}
