// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the same trust cases with TreeHaul's packaged jar and with every other installed copier: {@link TrustReport}
 * runs them and writes {@code docs/reports/trust.md}. Input is a tree that a shell script makes; output is a
 * {@link Verdict} from find, stat, cmp, sha256sum and getfattr. This package does not use TreeHaul's own code.
 */
@NullMarked
package org.treehaul.peers;

import org.jspecify.annotations.NullMarked;
