// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.entry;

import org.treehaul.arch.bad.core.walk.Walker;

/** An arrow that points back. */
record KnowsTheWalk(Walker walker) {}
