// SPDX-License-Identifier: Apache-2.0
/** Tests of the options of measurements. */
@NullMarked
package org.treehaul.cli.bench;

import org.jspecify.annotations.NullMarked;
