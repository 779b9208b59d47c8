// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

/**
 * Makes one more class storable as a component of tuples. Found by {@link java.util.ServiceLoader}.
 * <p>
 * Equal values must have equal bytes; values are ordered as their bytes are. Values must be immutable: they are not
 * copied.
 *
 * @param <V> the class
 */
public interface ComponentCodec<V> {

    /** Returns the class. */
    Class<V> type();

    /** Returns the canonical bytes of a value, which the caller owns. */
    byte[] encode(V value);

    /** Returns the value that was encoded so. */
    V decode(byte[] bytes);
}
