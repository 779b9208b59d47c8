// SPDX-License-Identifier: Apache-2.0
/**
 * The command that measures the throughput of files.
 *
 * <p>
 * In: arguments. Out: lines of text, CSV or JSON.
 */
@NullMarked
package org.treehaul.cli.bench;

import org.jspecify.annotations.NullMarked;
