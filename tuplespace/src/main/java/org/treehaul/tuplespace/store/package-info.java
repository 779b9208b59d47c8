// SPDX-License-Identifier: Apache-2.0
/**
 * What a space needs of a place that keeps its tuples, and what such a place tells it.
 * <p>
 * Comes in: tuples, templates, transactions by number, the clock. Goes out: matches, each taken once, and the changes
 * that were committed. Waiting, events and leases as the user sees them are the business of the space, not of stores.
 */
@NullMarked
package org.treehaul.tuplespace.store;

import org.jspecify.annotations.NullMarked;
