// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.List;

import org.treehaul.core.annotation.Api;

/**
 * The result of a walk.
 *
 * @param workers the visitors or handlers of the threads, each with the data it collected
 * @param isComplete whether the walk ran to its end; false after QUIT or a cancellation. Failures of single entries do
 *        not make it incomplete: {@link TreeVisitor#failed} receives them
 * @param <V> the type of visitor or handler
 */
@Api
public record WalkResult<V>(List<V> workers, boolean isComplete) {

    public WalkResult {
        workers = List.copyOf(workers);
    }
}
