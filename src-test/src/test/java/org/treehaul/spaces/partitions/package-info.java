// SPDX-License-Identifier: Apache-2.0
/** The benchmark of tuple spaces over several stores, in the way of metarates. */
@NullMarked
package org.treehaul.spaces.partitions;

import org.jspecify.annotations.NullMarked;
