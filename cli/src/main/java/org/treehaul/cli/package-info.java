// SPDX-License-Identifier: Apache-2.0
/**
 * The command line: commands that parse and print.
 * <p>
 * Comes in: arguments, signals, the environment. Goes out: results on standard output, progress and diagnostics on
 * standard error, an exit code. It alone owns the process, so only here may code print, exit, handle signals or change
 * the umask. Nothing that an embedder would miss lives here.
 */
@NullMarked
package org.treehaul.cli;

import org.jspecify.annotations.NullMarked;
