// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

/**
 * Makes another class usable as a component of tuples. {@link java.util.ServiceLoader} finds the codecs.
 * <p>
 * Equal values must have equal bytes, and the order of values is the order of their bytes. Values must be immutable,
 * because they are not copied.
 *
 * @param <V> the class
 */
public interface ComponentCodec<V> {

    /** Returns the class of the values. */
    Class<V> type();

    /** Returns the canonical bytes of a value; the caller owns the array. */
    byte[] encode(V value);

    /** Returns the value that {@link #encode} converted to these bytes. */
    V decode(byte[] bytes);
}
