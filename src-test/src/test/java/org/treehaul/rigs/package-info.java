// SPDX-License-Identifier: Apache-2.0
/**
 * Tests copies, walks and comparisons on real file systems in trouble: full, over quota, read-only, failing, hung,
 * dead, case-insensitive, out of links. Each fixture makes one rig and removes it. Needs root.
 */
@NullMarked
package org.treehaul.rigs;

import org.jspecify.annotations.NullMarked;
