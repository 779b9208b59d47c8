// SPDX-License-Identifier: Apache-2.0
/**
 * The output of the command line: results on standard output, messages and progress on standard error.
 *
 * <p>
 * In: bytes and lines to print, events of the work, signals. Text for a terminal is escaped; text is UTF-8 whatever the
 * locale, because the JVM's own streams would replace characters that the locale does not contain.
 */
@NullMarked
package org.treehaul.cli.report;

import org.jspecify.annotations.NullMarked;
