// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.treehaul.strategies;

import org.jspecify.annotations.NullMarked;
