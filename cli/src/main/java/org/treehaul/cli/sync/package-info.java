// SPDX-License-Identifier: Apache-2.0
/**
 * The command that makes a destination equal to a source: {@code sync}.
 *
 * <p>
 * In: a source and a destination. Out: the changed destination; changes on standard output, failures on standard error.
 */
@NullMarked
package org.treehaul.cli.sync;

import org.jspecify.annotations.NullMarked;
