// SPDX-License-Identifier: Apache-2.0
/** Tests of statements for the server. */
@NullMarked
package org.treehaul.tuplespace.postgresql.sql;

import org.jspecify.annotations.NullMarked;
