// SPDX-License-Identifier: Apache-2.0
/** Runs the commands of the packaged jar one after another in one process, for tests that run hundreds of them. */
@NullMarked
package org.treehaul.cli;

import org.jspecify.annotations.NullMarked;
