// SPDX-License-Identifier: Apache-2.0
/** Tests of the types of tuples. */
@NullMarked
package org.treehaul.tuplespace.tuple;

import org.jspecify.annotations.NullMarked;
