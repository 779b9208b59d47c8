// SPDX-License-Identifier: Apache-2.0
/** The programs of the machine that tests and the harness of speed call on. */
@NullMarked
package org.treehaul.programs;

import org.jspecify.annotations.NullMarked;
