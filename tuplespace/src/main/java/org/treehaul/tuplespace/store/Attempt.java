// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

/**
 * The outcome of one attempt to find a tuple.
 *
 * @param <T> type of the tuple
 */
public sealed interface Attempt<T> {

    /** A tuple matches and is free. */
    record Hit<T>(T tuple) implements Attempt<T> {}

    /** No tuple matches. */
    record Miss<T>() implements Attempt<T> {}

    /** A tuple matches, but transactions hold it. */
    record Held<T>() implements Attempt<T> {}
}
