// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps names of one file links to one file, and creates links to the source in place of copies.
 */
@Internal
@NullMarked
package org.treehaul.core.copy.links;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
