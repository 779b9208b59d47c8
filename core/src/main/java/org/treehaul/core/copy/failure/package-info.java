// SPDX-License-Identifier: Apache-2.0
/**
 * Exceptions that end the copy of an entry, their translation into failures to report, and the rule that decides
 * whether an entry is tried again.
 */
@Internal
@NullMarked
package org.treehaul.core.copy.failure;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
