// SPDX-License-Identifier: Apache-2.0
/**
 * What goes out: results on standard output, messages and progress on standard error.
 * <p>
 * Comes in: bytes and lines to print, events of the work, signals. Everything that goes to a terminal is escaped; text
 * is UTF-8 whatever the locale, for the JVM's own streams would replace what the locale does not know.
 */
@NullMarked
package org.treehaul.cli.report;

import org.jspecify.annotations.NullMarked;
