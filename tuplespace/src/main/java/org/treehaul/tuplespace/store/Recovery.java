// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.List;

/**
 * What became of a damaged store.
 *
 * @param recovered how many tuples could be read and were copied
 * @param problems what could not be read, in words
 */
public record Recovery(long recovered, List<String> problems) {
    public Recovery {
        problems = List.copyOf(problems);
    }
}
