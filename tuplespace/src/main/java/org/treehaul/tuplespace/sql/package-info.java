// SPDX-License-Identifier: Apache-2.0
/**
 * Parts that the stores in databases share. Not part of the API: only those stores use it.
 * <p>
 * In: rows of a database, record classes, committed changes. Out: tuples, the tables of the classes that a template may
 * match, and the changes for listeners of this and other processes. Knows no SQL of a kind of database.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.sql;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
