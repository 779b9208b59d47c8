// SPDX-License-Identifier: Apache-2.0
/**
 * Tuples and their selection: records, their types, templates, orders and aggregates.
 * <p>
 * In: record classes and their instances. Out: their components in a canonical form that every store can keep and
 * compare (an integer, a real number, a text, bytes), and predicates for templates. The package knows nothing of spaces
 * and stores.
 */
@Api
@NullMarked
package org.treehaul.tuplespace.tuple;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
