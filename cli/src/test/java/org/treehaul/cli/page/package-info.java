// SPDX-License-Identifier: Apache-2.0
/** Tests of the pages about transfers. */
@NullMarked
package org.treehaul.cli.page;

import org.jspecify.annotations.NullMarked;
