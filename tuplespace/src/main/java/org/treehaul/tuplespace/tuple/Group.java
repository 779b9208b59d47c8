// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Tuples with equal values in some components, and the aggregates over them.
 *
 * @param key the equal values, of the components' own classes or null
 * @param values the aggregates, in the order requested
 */
public record Group(List<@Nullable Object> key, List<@Nullable Object> values) {
    public Group {
        // List.copyOf rejects null.
        key = Collections.unmodifiableList(new ArrayList<>(key));
        values = Collections.unmodifiableList(new ArrayList<>(values));
    }
}
