// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;

/**
 * What a template says of a field of bytes: that one of several patterns matches, or that none does.
 *
 * @param isNegated whether what matches is kept out
 * @param any the patterns, of which one is enough
 * @param hasMissing whether a tuple without a value counts as one that matches
 */
record TextCondition(boolean isNegated, List<BytePattern> any, boolean hasMissing) {

    TextCondition {
        any = List.copyOf(any);
    }

    boolean matches(@Nullable ByteString value) {
        byte[] bytes = value == null ? new byte[0] : value.toBytes();
        boolean isMatch = value == null ? hasMissing : any.stream().anyMatch(pattern -> pattern.matches(bytes));
        return isMatch != isNegated;
    }
}
