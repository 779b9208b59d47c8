// SPDX-License-Identifier: Apache-2.0
/**
 * The command line: commands that parse and print.
 *
 * <p>
 * In: arguments, signals, the environment. Out: results on standard output, progress and diagnostics on standard error,
 * an exit code. The command line alone owns the process, so code may print, exit, handle signals or change the umask
 * only here. It contains nothing that an embedder would need.
 */
@NullMarked
package org.treehaul.cli;

import org.jspecify.annotations.NullMarked;
