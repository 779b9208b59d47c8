// SPDX-License-Identifier: Apache-2.0
/**
 * One copy in this process, as {@code treehaul cp} makes it without jobs: from the arguments of cp(1) to the result.
 *
 * <p>
 * In: arguments, options, a cancellation. Out: the copy; events and counters during the work; the result, or the reason
 * why it was refused or stopped. {@link org.treehaul.core.copy.plain.PlainCopy} is the entry point.
 */
@Api
@NullMarked
package org.treehaul.core.copy.plain;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
