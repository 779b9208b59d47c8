// SPDX-License-Identifier: Apache-2.0
/** Tests of the addresses of servers. */
@NullMarked
package org.treehaul.tuplespace.postgresql.connection;

import org.jspecify.annotations.NullMarked;
