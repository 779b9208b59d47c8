// SPDX-License-Identifier: Apache-2.0
/**
 * One store over several: partitions that split as GIGA+ splits a directory.
 * <p>
 * In: up to 64 stores of any kind. Out: one {@code tuplespace.store.Store} over them, whose tuples are spread by the
 * hash of one component. Each store also keeps some control tuples, which say what it holds, so that any process can
 * continue from the stores alone.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.partition;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
