// SPDX-License-Identifier: Apache-2.0
/**
 * The interface between a space and the store that keeps its tuples.
 * <p>
 * In: tuples, templates, transactions by number, the clock. Out: matches, each taken once, and committed changes. The
 * space, not the store, implements waiting, events and the leases that users see.
 */
@Api
@NullMarked
package org.treehaul.tuplespace.store;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
