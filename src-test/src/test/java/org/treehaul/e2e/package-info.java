// SPDX-License-Identifier: Apache-2.0
/** Tests the command line end to end: the packaged jar as a separate process. */
@NullMarked
package org.treehaul.e2e;

import org.jspecify.annotations.NullMarked;
