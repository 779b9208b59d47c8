// SPDX-License-Identifier: Apache-2.0
/**
 * Jobs of transfers on real schedulers: a Slurm of the tests' own, an emulated PBS that is strict, this machine. What
 * they run is a stand-in for Java, so that what is shown is the way of a job and not of a copy.
 */
@NullMarked
package org.treehaul.batch;

import org.jspecify.annotations.NullMarked;
