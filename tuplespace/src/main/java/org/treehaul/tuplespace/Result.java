// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * What a read or take came to.
 *
 * @param <T> what was looked for
 */
public sealed interface Result<T> {

    /** Here it is. */
    record Found<T>(T value) implements Result<T> {}

    /** There was none until the time was over. */
    record Empty<T>() implements Result<T> {}

    /** There was one, but until the time was over transactions held it. */
    record Locked<T>() implements Result<T> {}

    /** Tells whether there is a tuple. */
    default boolean isFound() {
        return this instanceof Found<T>;
    }

    /** Returns the tuple, if there is one. */
    default Optional<T> tuple() {
        return this instanceof Found<T>(T value) ? Optional.of(value) : Optional.empty();
    }

    /** Returns the tuple. */
    default T orElseThrow() {
        return tuple().orElseThrow(() -> new NoSuchElementException("no tuple: " + this));
    }
}
