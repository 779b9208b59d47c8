// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.List;

/**
 * How a walk ended.
 *
 * @param workers the visitors or handlers that the threads used, to merge what they gathered
 * @param isComplete whether the walk went on to its end; false after QUIT or a cancellation. Failures of single entries
 *        do not make it incomplete: they were reported
 * @param <V> what each thread used
 */
public record WalkResult<V>(List<V> workers, boolean isComplete) {

    /** Makes a result. */
    public WalkResult {
        workers = List.copyOf(workers);
    }
}
