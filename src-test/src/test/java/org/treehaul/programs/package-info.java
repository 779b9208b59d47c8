// SPDX-License-Identifier: Apache-2.0
/** Runs the programs of the machine for tests and benchmarks. */
@NullMarked
package org.treehaul.programs;

import org.jspecify.annotations.NullMarked;
