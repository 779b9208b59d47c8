// SPDX-License-Identifier: Apache-2.0
/**
 * The same trust cases for TreeHaul's packaged jar and for every other copier that is installed: {@link TrustReport}
 * runs them and writes {@code docs/reports/trust.md}. What went in is a tree that a script of the shell makes; what
 * comes out is a {@link Verdict} that find, stat, cmp, sha256sum and getfattr give. Nothing here uses TreeHaul's own
 * code.
 */
@NullMarked
package org.treehaul.peers;

import org.jspecify.annotations.NullMarked;
