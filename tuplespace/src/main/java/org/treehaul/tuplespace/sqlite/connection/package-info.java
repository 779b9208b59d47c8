// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to the file of a durable space. Not part of the API: only the packages of the durable store use it.
 * <p>
 * In: the directory of a space, SQL and canonical values. Out: the file, checked by owner and mode, connections that
 * run statements and call predicates in Java, and errors of SQLite as exceptions of the space. Knows no tables.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.sqlite.connection;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
