// SPDX-License-Identifier: Apache-2.0
/**
 * Creates entries at the destination: opens its directories, decides how to handle existing entries, keeps backups, and
 * gives new files their names.
 */
@Internal
@NullMarked
package org.treehaul.core.copy.target;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
