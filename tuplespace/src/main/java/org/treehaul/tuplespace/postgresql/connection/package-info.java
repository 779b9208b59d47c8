// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to a PostgreSQL server. Not part of the API: only the packages of this store use it.
 * <p>
 * In: the address of a space, the environment and the files of libpq, SQL and canonical values. Out: pooled connections
 * that run statements, and errors of the server as exceptions of the space that name the remedy. Knows no tables.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.postgresql.connection;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
