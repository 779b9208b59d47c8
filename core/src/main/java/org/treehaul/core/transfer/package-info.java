// SPDX-License-Identifier: Apache-2.0
/**
 * Transfers: workers carry out a plan without knowing of each other, except through the state directory.
 *
 * <p>
 * In: a plan, and workers and a finishing process that may be started by any means, on any host, any number of times.
 * Out: the copy, and its records in the state directory: who did what, what failed, and the progress. {@link Transfers}
 * is the entry point.
 *
 * <p>
 * A worker claims a batch by exclusively creating the journal of an attempt. No process writes another's journal, and a
 * journal is valid up to the first damaged byte. A new generation, begun by exclusive creation of a file, makes old
 * workers and finishers stop. {@code docs/decisions/0034-packages-of-walk-and-transfer.md} describes the packages below
 * this one.
 */
@Internal
@NullMarked
package org.treehaul.core.transfer;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
