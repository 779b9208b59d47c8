// SPDX-License-Identifier: Apache-2.0
/** Part of a house built to break the rules. */
@Api
@NullMarked
package org.treehaul.arch.bad.strategies.ranks.simulation;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
