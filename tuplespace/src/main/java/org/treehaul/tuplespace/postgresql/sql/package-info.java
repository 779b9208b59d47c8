// SPDX-License-Identifier: Apache-2.0
/**
 * Tuples in the tables of a PostgreSQL schema. Not part of the API: only the packages of this store use it.
 * <p>
 * In: record classes, templates and transactions. Out: the tables, created and adapted to their record classes, the SQL
 * of templates and visibility, and rows as tuples. Runs no transactions.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.postgresql.sql;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
