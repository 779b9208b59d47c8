// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.metadata;

import org.treehaul.core.entry.ByteString;

/** Reads permission bits from the values of POSIX ACLs. */
final class AclBits {

    // Layout from linux/posix_acl_xattr.h: a version of 4 bytes, then entries of 2 bytes tag, 2 permissions and 4 id;
    // the tags are those of linux/posix_acl.h.
    private static final int HEADER_BYTES = 4;
    private static final int ENTRY_BYTES = 8;
    private static final int USER_OBJ = 0x01;
    private static final int GROUP_OBJ = 0x04;
    private static final int MASK = 0x10;
    private static final int OTHER = 0x20;
    private static final int ALL = 7;

    private AclBits() {}

    /** Returns the mode of a file with this ACL: its group bits are the mask. */
    static int mode(ByteString acl) {
        int mask = entry(acl, MASK, -1);
        return bits(acl, mask < 0 ? entry(acl, GROUP_OBJ, 0) : mask);
    }

    /** Returns the mode that grants owner, owning group and others the same as this ACL, for a file without an ACL. */
    static int withoutMask(ByteString acl) {
        return bits(acl, entry(acl, GROUP_OBJ, 0) & entry(acl, MASK, ALL));
    }

    /** Returns the resulting mode of a file that is created with a mode in a directory with this default ACL. */
    static int inherited(ByteString defaultAcl, int mode) {
        return mode(defaultAcl) & mode;
    }

    private static int bits(ByteString acl, int group) {
        return entry(acl, USER_OBJ, 0) << 6 | group << 3 | entry(acl, OTHER, 0);
    }

    private static int entry(ByteString acl, int tag, int ifNone) {
        for (int i = HEADER_BYTES; i + ENTRY_BYTES <= acl.length(); i += ENTRY_BYTES) {
            if (acl.at(i) == tag && acl.at(i + 1) == 0) {
                return acl.at(i + 2) & ALL;
            }
        }
        return ifNone;
    }
}
