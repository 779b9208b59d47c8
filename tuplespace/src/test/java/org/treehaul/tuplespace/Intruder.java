// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;

import org.treehaul.tuplespace.store.Store;

/** Counts the calls that change stores, and does something at one of them. */
final class Intruder {
    private static final Set<String> CHANGES = Set.of("write", "writeWhile", "attempt", "takeAll", "remove", "renew",
            "cancel", "begin", "beginAlone", "renewTransaction", "commit", "abort");

    /** The number of the call before or after which the work is done; zero for none. */
    private final int at;
    private final boolean isAfter;
    private final Runnable work;
    private int calls;
    private boolean isDead;

    /** The death of the process that uses the stores, as far as they can notice. */
    static final class Death extends Error {
        private static final long serialVersionUID = 1;
    }

    Intruder(int at, boolean isAfter, Runnable work) {
        this.at = at;
        this.isAfter = isAfter;
        this.work = work;
    }

    /** Returns one that ends the process: the call, and all after it, fail and do nothing more. */
    static Intruder killing(int at, boolean isAfter) {
        return new Intruder(at, isAfter, () -> {
            throw new Death();
        });
    }

    int calls() {
        return calls;
    }

    Store around(Store store) {
        return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[]{Store.class},
                (proxy, method, arguments) -> {
                    if (isDead) {
                        throw new Death();
                    }
                    boolean isHere = CHANGES.contains(method.getName()) && ++calls == at;
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
