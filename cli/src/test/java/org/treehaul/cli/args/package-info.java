// SPDX-License-Identifier: Apache-2.0
/** Tests of arguments and options. */
@NullMarked
package org.treehaul.cli.args;

import org.jspecify.annotations.NullMarked;
