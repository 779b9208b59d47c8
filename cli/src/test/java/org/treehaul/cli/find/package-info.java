// SPDX-License-Identifier: Apache-2.0
/** Tests of the commands that read and compare trees. */
@NullMarked
package org.treehaul.cli.find;

import org.jspecify.annotations.NullMarked;
