// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.tuplespace;

import org.treehaul.arch.bad.core.walk.Walker;

/** A tuple space that knows of walks. */
record KnowsFiles(Walker walker) {}
