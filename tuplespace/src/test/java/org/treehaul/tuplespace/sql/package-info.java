// SPDX-License-Identifier: Apache-2.0
/** Tests of what the stores in databases share. */
@NullMarked
package org.treehaul.tuplespace.sql;

import org.jspecify.annotations.NullMarked;
