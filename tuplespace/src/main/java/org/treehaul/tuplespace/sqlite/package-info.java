// SPDX-License-Identifier: Apache-2.0
/**
 * The durable store: an SQLite file in a directory, which several processes of one machine may have open.
 * <p>
 * Implements {@code tuplespace.store}. Each record class is a table with a column for each component, so templates
 * become SQL that can use indexes, and SQLite computes aggregates. Every change is on disk when its method returns;
 * changes that several threads make at the same time share one commit.
 * <p>
 * From the ground up: {@code connection} opens the file, {@code sql} keeps tuples in tables, {@code file} creates,
 * checks and recovers whole files, and this package is the store: one writer, its transactions, and many readers.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.sqlite;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
