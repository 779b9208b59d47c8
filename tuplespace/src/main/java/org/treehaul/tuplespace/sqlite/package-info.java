// SPDX-License-Identifier: Apache-2.0
/**
 * The durable store: a file of SQLite in a directory, that several processes of a machine may have open.
 * <p>
 * Comes in and goes out: what {@code tuplespace.store} says. Each record class is a table with a column for each
 * component, so templates become SQL that indexes help, and aggregates are computed where the tuples are. Every change
 * is on disk when its method returns; changes that threads make at the same time share one commit.
 */
@NullMarked
package org.treehaul.tuplespace.sqlite;

import org.jspecify.annotations.NullMarked;
