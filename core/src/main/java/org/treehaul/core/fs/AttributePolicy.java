// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.util.Set;

/**
 * Selects the extended attributes that belong to the user and are therefore copied and compared. Attributes that a file
 * system or a security module keeps for itself (the location of a file's stripes, a label) describe one copy of the
 * file and are wrong for any other. The policy is therefore a list of permitted attributes.
 *
 * @param user whether {@code user.*} and {@code security.capability} are permitted
 * @param acl whether POSIX ACLs are permitted
 * @param trusted whether {@code trusted.*} is permitted, which only a privileged process sees; attributes known to
 *        belong to Lustre, GlusterFS and XFS are excluded
 */
public record AttributePolicy(boolean user, boolean acl, boolean trusted) {

    // Layout and identity of Lustre (lustre_idl.h), identity of GlusterFS, and the on-disk form of ACLs on XFS.
    private static final Set<String> OF_FILE_SYSTEMS = Set.of("trusted.lov", "trusted.lma", "trusted.lmv",
            "trusted.dmv", "trusted.link", "trusted.fid", "trusted.version", "trusted.som", "trusted.hsm",
            "trusted.gfid", "trusted.pgfid", "trusted.SGI_ACL_FILE", "trusted.SGI_ACL_DEFAULT");

    /** Returns whether the policy permits an attribute with this name. */
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

    /** Returns whether the policy permits no attribute at all. */
    public boolean isEmpty() {
        return !user && !acl && !trusted;
    }
}
