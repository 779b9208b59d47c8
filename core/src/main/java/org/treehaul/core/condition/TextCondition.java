// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/**
 * A condition on a field of bytes: at least one of several patterns matches, or none does.
 *
 * @param isNegated whether matches are excluded
 * @param any the patterns, of which one must match
 * @param hasMissing whether an entry without a value counts as a match
 */
@Internal
public record TextCondition(boolean isNegated, List<BytePattern> any, boolean hasMissing) {

    public TextCondition {
        any = List.copyOf(any);
    }

    /** Returns the condition that holds where this one does not. */
    public TextCondition not() {
        return new TextCondition(!isNegated, any, hasMissing);
    }

    /** Returns whether a value matches; null if it is missing. */
    public boolean matches(@Nullable ByteString value) {
        return (value == null ? hasMissing : isAny(value)) != isNegated;
    }

    private boolean isAny(ByteString value) {
        for (BytePattern pattern : any) {
            if (pattern.matches(value)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a value matches: the bytes of an array from an index on, up to another one. */
    public boolean matches(byte[] bytes, int from, int to) {
        boolean isAny = false;
        // No iterator for each entry.
        for (int i = 0; i < any.size() && !isAny; i++) {
            isAny = any.get(i).matches(bytes, from, to);
        }
        return isAny != isNegated;
    }

    // The JVM would make 14 classes at the start of a run for equals and hashCode that it generates.
    @Override
    public boolean equals(Object object) {
        return object instanceof TextCondition other && isNegated == other.isNegated && hasMissing == other.hasMissing
                && any.equals(other.any);
    }

    @Override
    public int hashCode() {
        return any.hashCode() * 4 + (isNegated ? 2 : 0) + (hasMissing ? 1 : 0);
    }
}
