// SPDX-License-Identifier: Apache-2.0
/** Tests of the command line. */
@NullMarked
package org.treehaul.cli;

import org.jspecify.annotations.NullMarked;
