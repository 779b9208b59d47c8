// SPDX-License-Identifier: Apache-2.0
/**
 * Operations on single entries, apart from the machinery that carries them over a plan. Another jar adds one by an
 * {@link OperationProvider}.
 */
@Internal
@NullMarked
package org.treehaul.core.operation;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
