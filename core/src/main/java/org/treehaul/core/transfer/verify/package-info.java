// SPDX-License-Identifier: Apache-2.0
/**
 * Verification of a finished transfer: compares the entries of its plan and interprets the differences.
 */
@Internal
@NullMarked
package org.treehaul.core.transfer.verify;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
