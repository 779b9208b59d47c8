// SPDX-License-Identifier: Apache-2.0
/**
 * The shared store: a schema of a PostgreSQL database, which processes of many nodes may have open.
 * <p>
 * Implements {@code tuplespace.store}. Each record class is a table with a column for each component, so templates
 * become SQL that can use indexes, and the server computes aggregates. Every change is committed when its method
 * returns. Processes run their changes at the same time; locks of rows keep them apart.
 * <p>
 * From the ground up: {@code connection} reaches the server, {@code sql} keeps tuples in tables, and this package is
 * the store: the changes, one after another within a process, its transactions, and the events of other processes.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.postgresql;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
