// SPDX-License-Identifier: Apache-2.0
/**
 * Creates entries at the destination: opens its directories, decides how to handle existing entries, keeps backups, and
 * gives new files their names so that only complete files have final names.
 */
@Internal
@NullMarked
package org.treehaul.core.copy.target;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
