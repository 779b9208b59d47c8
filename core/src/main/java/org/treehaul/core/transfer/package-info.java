// SPDX-License-Identifier: Apache-2.0
/**
 * A plan carried out by workers that know nothing of each other but what stands in the state directory.
 *
 * <p>
 * In: a plan, and workers and a finishing process that are started by anybody, anywhere, any number of times. Out: the
 * copy, and in the state directory an account of it: who did what, what failed, how far it is. {@link Transfers} is the
 * entrance.
 *
 * <p>
 * A worker claims a batch by creating the journal of an attempt exclusively. No process writes another's journal, and
 * what is in one counts up to the first byte that is damaged. A generation, raised by exclusive creation, tells old
 * workers and finishers that they are no longer asked for.
 */
@NullMarked
package org.treehaul.core.transfer;

import org.jspecify.annotations.NullMarked;
