// SPDX-License-Identifier: Apache-2.0
/**
 * Tests jobs of transfers on real schedulers: a separate Slurm, a strict emulation of PBS, and this machine. The jobs
 * run a stand-in for Java, so that the tests show the path of a job and not of a copy.
 */
@NullMarked
package org.treehaul.batch;

import org.jspecify.annotations.NullMarked;
