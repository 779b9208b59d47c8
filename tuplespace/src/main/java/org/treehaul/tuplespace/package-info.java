// SPDX-License-Identifier: Apache-2.0
/**
 * A tuple space: write with a lease, read and take by template, transactions, events.
 * <p>
 * In: tuples, which are records, and templates, in which an absent component matches everything. Out: the matching
 * tuples, each taken once, and events for registered actions. {@link TupleSpaces} opens spaces; {@code tuple} has the
 * templates, {@code memory}, {@code sqlite} and {@code postgresql} store the tuples behind the interface in {@code
 * store}, and {@code checkpoint} keeps the states of the parts of a program.
 * <p>
 * The space knows nothing of files and uses no other module. Only {@code org.treehaul.tuplespace.files}, the index of
 * files with its query language, and the packages below it may use core.
 */
@Api
@NullMarked
package org.treehaul.tuplespace;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
