// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

/** What of an entry beside its data a copy carries over: the words of {@code cp --preserve}. */
public enum Preserve {
    /** Permission bits, set-id and sticky bits. */
    MODE,
    /** Owner and group. */
    OWNERSHIP,
    /** Times of last access and modification. */
    TIMESTAMPS,
    /** Hard links among the copied entries stay links. */
    LINKS,
    /** Extended attributes: user.* and security.capability, and trusted.* where asked for by name. */
    XATTR,
    /** POSIX access control lists, of access and default. */
    ACL
}
