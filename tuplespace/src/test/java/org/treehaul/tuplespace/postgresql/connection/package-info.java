// SPDX-License-Identifier: Apache-2.0
/** Tests of the connections to a file of SQLite. */
@NullMarked
package org.treehaul.tuplespace.postgresql.connection;

import org.jspecify.annotations.NullMarked;
