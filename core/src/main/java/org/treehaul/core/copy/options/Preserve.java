// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.options;

/** The attributes of an entry, besides its data, that a copy preserves: the words of {@code cp --preserve}. */
public enum Preserve {
    /** Permission bits, set-id and sticky bits. */
    MODE,
    /** Owner and group. */
    OWNERSHIP,
    /** Times of last access and modification. */
    TIMESTAMPS,
    /** Hard links among the copied entries stay links. */
    LINKS,
    /** Extended attributes: user.* and security.capability, and trusted.* if requested by name. */
    XATTR,
    /** POSIX access control lists: access ACL and default ACL. */
    ACL
}
