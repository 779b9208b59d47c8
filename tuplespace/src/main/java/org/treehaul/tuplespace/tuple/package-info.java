// SPDX-License-Identifier: Apache-2.0
/**
 * What tuples are and how they are asked for: records, their types, templates, orders and aggregates.
 * <p>
 * Comes in: record classes and their instances. Goes out: their components in a canonical form that every store can
 * keep and compare (an integer, a real number, a text, bytes), and tests of templates. Knows nothing of spaces and
 * stores.
 */
@NullMarked
package org.treehaul.tuplespace.tuple;

import org.jspecify.annotations.NullMarked;
