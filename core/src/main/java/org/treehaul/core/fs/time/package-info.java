// SPDX-License-Identifier: Apache-2.0
/**
 * The precision to which file systems store times, by which the time of a copy is compared with that of its source.
 *
 * <p>
 * In: the status of an entry, and access to it. Out: the unit of its times, in which both times are compared. Also
 * keeps the time of a directory in which the program makes files of its own.
 */
@Internal
@NullMarked
package org.treehaul.core.fs.time;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
