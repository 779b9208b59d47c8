// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.StringJoiner;

import org.treehaul.core.entry.ByteString;

/** Formats a POSIX ACL like getfacl(1) with numeric ids and commas. */
final class AclText {

    // Layout from linux/posix_acl_xattr.h: a version, then tag, permissions and id of each entry, little-endian.
    private static final int VERSION = 2;
    private static final int HEADER_BYTES = 4;
    private static final int ENTRY_BYTES = 8;

    private AclText() {}

    /** Returns the ACL as text, or the escaped bytes if they are not an ACL in the version that Linux uses. */
    static String of(ByteString value) {
        ByteBuffer buffer = ByteBuffer.wrap(value.toBytes()).order(ByteOrder.LITTLE_ENDIAN);
        if (buffer.remaining() < HEADER_BYTES || (buffer.remaining() - HEADER_BYTES) % ENTRY_BYTES != 0
                || buffer.getInt() != VERSION) {
            return value.toString();
        }
        StringJoiner text = new StringJoiner(",");
        while (buffer.hasRemaining()) {
            int tag = buffer.getShort();
            int permissions = buffer.getShort();
            long id = Integer.toUnsignedLong(buffer.getInt());
            text.add(subject(tag, id) + ":" + bit(permissions, 4, 'r') + bit(permissions, 2, 'w')
                    + bit(permissions, 1, 'x'));
        }
        return text.toString();
    }

    private static String subject(int tag, long id) {
        return switch (tag) {
            case 0x01 -> "user:";
            case 0x02 -> "user:" + id;
            case 0x04 -> "group:";
            case 0x08 -> "group:" + id;
            case 0x10 -> "mask:";
            case 0x20 -> "other:";
            default -> "tag" + tag + ":" + id;
        };
    }

    private static char bit(int permissions, int mask, char letter) {
        return (permissions & mask) != 0 ? letter : '-';
    }
}
