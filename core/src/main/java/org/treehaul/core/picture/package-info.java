// SPDX-License-Identifier: Apache-2.0
/**
 * Pictures as text, for reports and profiles.
 *
 * <p>
 * In: lengths, colours and texts. Out: SVG 1.1, as a file or inline in an HTML page, that loads nothing and runs no
 * script.
 */
@Internal
@NullMarked
package org.treehaul.core.picture;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
