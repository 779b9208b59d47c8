// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

/** The symbolic links that a walk follows, as {@code -P}, {@code -H} and {@code -L} of cp(1) and find(1). */
public enum Symlinks {
    /** None: each link is an entry of its own. */
    NEVER,
    /** Only roots that are links. */
    ROOTS,
    /** All. A link that leads back to a directory above it is reported with ELOOP. */
    ALWAYS
}
