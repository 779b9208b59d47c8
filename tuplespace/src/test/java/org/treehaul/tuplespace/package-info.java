// SPDX-License-Identifier: Apache-2.0
/** Tests of tuple spaces: one contract over all stores, models, an oracle, kills. */
@NullMarked
package org.treehaul.tuplespace;

import org.jspecify.annotations.NullMarked;
