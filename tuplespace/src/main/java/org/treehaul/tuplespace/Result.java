// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * The outcome of a read or take.
 *
 * @param <T> type of the tuple
 */
public sealed interface Result<T> {

    /** A tuple matched. */
    record Found<T>(T value) implements Result<T> {}

    /** No tuple matched before the timeout. */
    record Empty<T>() implements Result<T> {}

    /** A tuple matched, but transactions held it until the timeout. */
    record Locked<T>() implements Result<T> {}

    /** Returns whether a tuple was found. */
    default boolean isFound() {
        return this instanceof Found<T>;
    }

    /** Returns the tuple, or empty when none was found. */
    default Optional<T> tuple() {
        return this instanceof Found<T>(T value) ? Optional.of(value) : Optional.empty();
    }

    /** Returns the tuple; throws NoSuchElementException when none was found. */
    default T orElseThrow() {
        return tuple().orElseThrow(() -> new NoSuchElementException("not a tuple: " + this));
    }
}
