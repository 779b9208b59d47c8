// SPDX-License-Identifier: Apache-2.0
/**
 * The order in which a server carries out requests that wait.
 * <p>
 * Input: requests with their applications, and the threads of the server. Output: each request, carried out by one of
 * them.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.stage.order;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
