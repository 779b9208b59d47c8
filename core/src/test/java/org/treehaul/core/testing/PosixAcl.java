// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.treehaul.core.entry.ByteString;

/** Values of the attributes that hold POSIX ACLs, in the layout of linux/posix_acl_xattr.h. */
public final class PosixAcl {

    /** The attribute of a file's access ACL. */
    public static final ByteString ACCESS = ByteString.of("system.posix_acl_access");

    /** The attribute of a directory's default ACL. */
    public static final ByteString DEFAULT = ByteString.of("system.posix_acl_default");

    private static final int VERSION = 2;
    private static final int USER_OBJ = 0x01;
    private static final int USER = 0x02;
    private static final int GROUP_OBJ = 0x04;
    private static final int GROUP = 0x08;
    private static final int MASK = 0x10;
    private static final int OTHER = 0x20;
    private static final int NO_ID = -1;

    private PosixAcl() {}

    /** Returns {@code u::rw-,u:UID:rwx,g::r--,g:GID:r-x,m::rwx,o::---}. */
    public static ByteString of(int uid, int gid) {
        return of(6, uid, gid);
    }

    /** Returns the same with {@code u::rwx}: for directories that their owner, when not root, is to enter. */
    public static ByteString ofDirectory(int uid, int gid) {
        return of(7, uid, gid);
    }

    private static ByteString of(int owner, int uid, int gid) {
        ByteBuffer value = ByteBuffer.allocate(4 + 6 * 8).order(ByteOrder.LITTLE_ENDIAN).putInt(VERSION);
        entry(value, USER_OBJ, owner, NO_ID);
        entry(value, USER, 7, uid);
        entry(value, GROUP_OBJ, 4, NO_ID);
        entry(value, GROUP, 5, gid);
        entry(value, MASK, 7, NO_ID);
        entry(value, OTHER, 0, NO_ID);
        return ByteString.of(value.array());
    }

    private static void entry(ByteBuffer value, int tag, int permissions, int id) {
        value.putShort((short) tag).putShort((short) permissions).putInt(id);
    }
}
