// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

/**
 * How an attempt to find a tuple ended.
 *
 * @param <T> what was looked for
 */
public sealed interface Attempt<T> {

    /** There is one. */
    record Hit<T>(T tuple) implements Attempt<T> {}

    /** There is none. */
    record Miss<T>() implements Attempt<T> {}

    /** There is one, but transactions hold it. */
    record Held<T>() implements Attempt<T> {}
}
