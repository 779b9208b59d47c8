// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.util.concurrent.CompletableFuture;

/**
 * A request of a client that waits for its answer.
 *
 * @param request what was sent
 * @param answer the answer, whose buffer its receiver releases, or a failure of the connection
 */
record Call(Request request, CompletableFuture<Answer> answer) {}
