// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;

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

    /** Returns the same with {@code u::rwx}, for directories that an owner other than root must enter. */
    public static ByteString ofDirectory(int uid, int gid) {
        return of(7, uid, gid);
    }

    /** Returns the ACL for a text as setfacl(1) takes it, with numeric ids: {@code u::rw-,u:7:r--,g::---}. */
    public static ByteString parse(String text) {
        String[] entries = text.split(",", -1);
        ByteBuffer value = ByteBuffer.allocate(4 + entries.length * 8).order(ByteOrder.LITTLE_ENDIAN).putInt(VERSION);
        for (String entry : entries) {
            String[] parts = entry.split(":", -1);
            boolean isNamed = !parts[1].isEmpty();
            int tag = switch (parts[0]) {
                case "u" -> isNamed ? USER : USER_OBJ;
                case "g" -> isNamed ? GROUP : GROUP_OBJ;
                case "m" -> MASK;
                case "o" -> OTHER;
                default -> throw new IllegalArgumentException(text);
            };
            int permissions = (parts[2].indexOf('r') < 0 ? 0 : 4) | (parts[2].indexOf('w') < 0 ? 0 : 2)
                    | (parts[2].indexOf('x') < 0 ? 0 : 1);
            entry(value, tag, permissions, isNamed ? Integer.parseInt(parts[1]) : NO_ID);
        }
        return ByteString.of(value.array());
    }

    /**
     * Returns the rights of a group on a file.
     *
     * @param acl the file's access ACL, or null if it has none
     */
    public static int rightsOfGroup(int group, FileStatus file, @Nullable ByteString acl) {
        int mode = file.permissions();
        boolean isOwning = file.gid() == group;
        if (acl == null) {
            return isOwning ? mode >> 3 & 7 : mode & 7;
        }
        ByteBuffer entries = ByteBuffer.wrap(acl.toBytes()).order(ByteOrder.LITTLE_ENDIAN);
        entries.getInt();
        int rights = 0;
        boolean isNamed = isOwning;
        while (entries.hasRemaining()) {
            int tag = entries.getShort();
            int permissions = entries.getShort();
            int id = entries.getInt();
            if (tag == GROUP_OBJ && isOwning || tag == GROUP && id == group) {
                rights |= permissions;
                isNamed = true;
            }
        }
        // The group bits of the mode are the mask.
        return isNamed ? rights & mode >> 3 & 7 : mode & 7;
    }

    /** Returns the rights on a file of a user who is neither the owner nor in any group. */
    public static int rightsOfUser(int user, FileStatus file, @Nullable ByteString acl) {
        int mode = file.permissions();
        if (acl != null) {
            ByteBuffer entries = ByteBuffer.wrap(acl.toBytes()).order(ByteOrder.LITTLE_ENDIAN);
            entries.getInt();
            while (entries.hasRemaining()) {
                int tag = entries.getShort();
                int permissions = entries.getShort();
                if (entries.getInt() == user && tag == USER) {
                    return permissions & mode >> 3 & 7;
                }
            }
        }
        return mode & 7;
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
