// SPDX-License-Identifier: Apache-2.0
/**
 * Options of a copy, and the sources and targets to copy. Knows nothing of how they are carried out.
 */
@Api
@NullMarked
package org.treehaul.core.copy.options;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
