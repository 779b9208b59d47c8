// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/**
 * The values of one entry in the fields of conditions.
 *
 * @param <E> thrown if a value cannot be read; {@link RuntimeException} for values that are known already
 */
public interface EntryValues<E extends Exception> {

    /**
     * Returns the bytes of the entry in a field of bytes; null if it has none.
     *
     * @throws IllegalArgumentException if the values of the field are numbers, or unknown here
     */
    @Nullable ByteString text(FileField field) throws E;

    /**
     * Returns the number of the entry in a numeric field: the position of a kind among its constants, 0 or 1 for a
     * flag; null if it has none.
     *
     * @throws IllegalArgumentException if the values of the field are bytes, or unknown here
     */
    @Nullable Long number(FileField field) throws E;

    /** Returns whether the number of the entry in a numeric field, or its absence, is in a set. */
    @Internal
    default boolean meets(FileField field, NumberSet set) throws E {
        Long number = number(field);
        return number == null ? set.hasMissing() : set.contains(number);
    }

    /** Returns whether the bytes of the entry in a field of bytes meet all of these conditions. */
    @Internal
    default boolean meets(FileField field, List<TextCondition> conditions) throws E {
        ByteString text = text(field);
        for (int i = 0; i < conditions.size(); i++) {
            if (!conditions.get(i).matches(text)) {
                return false;
            }
        }
        return true;
    }
}
