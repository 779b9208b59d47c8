// SPDX-License-Identifier: Apache-2.0
/**
 * The model of the command line as text for other programs: manual pages, and completion scripts of shells.
 *
 * <p>
 * In: Picocli's model of all commands. Out: text.
 */
@Internal
@NullMarked
package org.treehaul.cli.help;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
