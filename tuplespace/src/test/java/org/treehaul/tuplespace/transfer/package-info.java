// SPDX-License-Identifier: Apache-2.0
/** Tests of transfers as tuples. */
@NullMarked
package org.treehaul.tuplespace.transfer;

import org.jspecify.annotations.NullMarked;
