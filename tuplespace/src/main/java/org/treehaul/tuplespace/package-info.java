// SPDX-License-Identifier: Apache-2.0
/**
 * A tuple space: write with a lease, read and take by template, transactions, events.
 * <p>
 * Comes in: tuples, which are records, and templates in which an absent component matches everything. Goes out: the
 * tuples that match, once for each take, and events for those who asked for them. {@link TupleSpaces} opens spaces;
 * {@code tuple} has templates, {@code memory} and {@code sqlite} keep the tuples, {@code store} is what they have in
 * common, {@code checkpoint} keeps the states of the parts of a program.
 * <p>
 * The space knows nothing of files and uses no other module. Only {@code org.treehaul.tuplespace.files}, the index of
 * files and its query language, may use core.
 */
@NullMarked
package org.treehaul.tuplespace;

import org.jspecify.annotations.NullMarked;
