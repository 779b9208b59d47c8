// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

/** Which symbolic links a walk follows, as {@code -P}, {@code -H} and {@code -L} of cp(1) and find(1). */
public enum Symlinks {
    /** None: each link is an entry of its own. */
    NEVER,
    /** Those that a root itself is. */
    ROOTS,
    /** All. A directory that leads back to one it stands in is reported with ELOOP. */
    ALWAYS
}
