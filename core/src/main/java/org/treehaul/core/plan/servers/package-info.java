// SPDX-License-Identifier: Apache-2.0
/**
 * The servers that store the data of planned entries, by which batches are divided and ordered.
 *
 * <p>
 * In: the files of the walk, and afterwards the work on each server. Out: the number of a server for each file, the
 * batches that each server gets, and their order. A worker compares the servers of a batch with its own host.
 */
@Internal
@NullMarked
package org.treehaul.core.plan.servers;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
