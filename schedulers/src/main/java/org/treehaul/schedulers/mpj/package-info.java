// SPDX-License-Identifier: Apache-2.0
/**
 * Messages between ranks by MPJ Express, which is found at run time: in one process, and between processes on several
 * nodes.
 *
 * <p>
 * In: the place where the ranks of a group meet, and which of them this process is. Out: a
 * {@link org.treehaul.strategies.ranks.Transport}. MPJ Express carries frames and no more. What it lacks stands here: a
 * rendezvous that lets no stranger in, credits so that nobody is flooded, and a lifeline that tells every rank which
 * one is gone.
 */
@NullMarked
package org.treehaul.schedulers.mpj;

import org.jspecify.annotations.NullMarked;
