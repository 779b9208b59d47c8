// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Tuples that agree in some components, and what was computed over them.
 *
 * @param key what they agree in, values of the components' own classes or null
 * @param values what was computed, in the order asked for
 */
public record Group(List<@Nullable Object> key, List<@Nullable Object> values) {
    public Group {
        // List.copyOf takes no null.
        key = Collections.unmodifiableList(new ArrayList<>(key));
        values = Collections.unmodifiableList(new ArrayList<>(values));
    }
}
