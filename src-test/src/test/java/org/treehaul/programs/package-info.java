// SPDX-License-Identifier: Apache-2.0
/** Runs the programs of the machine for tests and benchmarks, and sums up what these measure. */
@NullMarked
package org.treehaul.programs;

import org.jspecify.annotations.NullMarked;
