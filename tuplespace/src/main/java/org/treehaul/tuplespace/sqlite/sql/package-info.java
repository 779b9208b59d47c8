// SPDX-License-Identifier: Apache-2.0
/**
 * Tuples in SQL: tables, rows, checksums and the conditions of templates. Not part of the API: only the packages of the
 * durable store use it.
 * <p>
 * In: record classes, tuples, conditions, and connections. Out: the tables of record classes, statements for them, and
 * the tuples read, each compared with its checksum. Begins and ends no transaction of a space.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.sqlite.sql;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
