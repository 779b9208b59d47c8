// SPDX-License-Identifier: Apache-2.0
/** The command line end to end: the packaged jar as a process of its own. */
@NullMarked
package org.treehaul.e2e;

import org.jspecify.annotations.NullMarked;
