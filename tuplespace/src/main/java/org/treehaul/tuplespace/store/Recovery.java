// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.List;

/**
 * The result of recovering a damaged store.
 *
 * @param recovered number of tuples read and copied
 * @param problems descriptions of what could not be read
 */
public record Recovery(long recovered, List<String> problems) {
    public Recovery {
        problems = List.copyOf(problems);
    }
}
