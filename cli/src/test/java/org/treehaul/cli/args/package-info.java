// SPDX-License-Identifier: Apache-2.0
/** Tests of what comes in. */
@NullMarked
package org.treehaul.cli.args;

import org.jspecify.annotations.NullMarked;
