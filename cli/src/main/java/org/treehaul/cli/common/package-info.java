// SPDX-License-Identifier: Apache-2.0
/**
 * Options and services that several commands share: selection of entries, ranks, the session of a run, exit codes.
 *
 * <p>
 * In: Picocli's values. Out: filters, communicators and exit codes of the modules below. No command depends on another
 * through this package.
 */
@NullMarked
package org.treehaul.cli.common;

import org.jspecify.annotations.NullMarked;
