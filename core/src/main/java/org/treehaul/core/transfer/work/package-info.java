// SPDX-License-Identifier: Apache-2.0
/**
 * Workers of a transfer: each claims batches one after another, and runs the attempts at them. {@link Worker} is the
 * entry point.
 */
@Internal
@NullMarked
package org.treehaul.core.transfer.work;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
