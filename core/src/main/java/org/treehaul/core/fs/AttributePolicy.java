// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.util.Set;

/**
 * Which extended attributes belong to the user and so are carried over and compared. What a file system or a security
 * module keeps there for itself (where a file's stripes are, a label) describes one copy of the file and is wrong for
 * any other, so this is a list of what is let through.
 *
 * @param user whether {@code user.*} and {@code security.capability} are let through
 * @param acl whether POSIX ACLs are
 * @param trusted whether {@code trusted.*} is, which only a privileged process sees, without what is known to belong to
 *        Lustre, GlusterFS and XFS
 */
public record AttributePolicy(boolean user, boolean acl, boolean trusted) {

    // Lustre's layout and identity (lustre_idl.h), GlusterFS's identity, and the disk form of the ACLs of XFS.
    private static final Set<String> OF_FILE_SYSTEMS = Set.of("trusted.lov", "trusted.lma", "trusted.lmv",
            "trusted.dmv", "trusted.link", "trusted.fid", "trusted.version", "trusted.som", "trusted.hsm",
            "trusted.gfid", "trusted.pgfid", "trusted.SGI_ACL_FILE", "trusted.SGI_ACL_DEFAULT");

    /** Returns whether an attribute of this name is let through. */
    public boolean permits(String name) {
        if (name.startsWith("user.") || name.equals("security.capability")) {
            return user;
        }
        if (name.startsWith("system.posix_acl_")) {
            return acl;
        }
        return trusted && name.startsWith("trusted.") && !OF_FILE_SYSTEMS.contains(name)
                && !name.startsWith("trusted.glusterfs.") && !name.startsWith("trusted.afr.");
    }

    /** Returns whether nothing at all is let through. */
    public boolean isEmpty() {
        return !user && !acl && !trusted;
    }
}
