// SPDX-License-Identifier: Apache-2.0
/**
 * Parallel files with buffers, for programs whose requests are small: what will be read next is read ahead, and what is
 * written is gathered.
 */
@Api
@NullMarked
package org.treehaul.schedulers.stage.buffer;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
