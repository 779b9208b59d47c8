// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.entry.ByteString;

/** Layouts as Lustre writes them, by the structures of lustre_user.h. */
public final class LustreBytes {

    static final int RAID0 = 1;
    static final int MDT = 0x100;
    static final int OVERSTRIPING = 0x200;
    static final int FOREIGN = 0x400;
    static final int HOLE = 0x40000000;
    static final int RELEASED = 0x80000000;
    static final int STALE = 1;
    static final int INIT = 0x10;
    static final int EXTENSION = 0x40;
    static final long EOF = -1;

    static final int V1 = 0x0BD10BD0;
    static final int V3 = 0x0BD30BD0;
    static final int COMPOSITE = 0x0BD60BD0;

    /** A component: its range, its flags and its own layout. */
    record Component(long start, long end, int flags, ByteString layout) {}

    private LustreBytes() {}

    /** Returns the layout of a file over OSTs with these indexes. */
    public static ByteString striped(int stripeSize, int... osts) {
        return ByteString.of(v1(ByteOrder.LITTLE_ENDIAN, RAID0, stripeSize, osts.length, osts));
    }

    /** Returns the layout of a file whose data are only in the archive. */
    public static ByteString released() {
        return ByteString.of(v1(ByteOrder.LITTLE_ENDIAN, RAID0 | RELEASED, 65_536, 0));
    }

    /** Returns a struct lov_user_md_v1, with an object on each of these OSTs. */
    static byte[] v1(ByteOrder order, int pattern, int stripeSize, int stripeCount, int... osts) {
        return plain(order, V1, pattern, stripeSize, stripeCount, "", osts);
    }

    /** Returns a struct lov_user_md_v3. */
    static byte[] v3(ByteOrder order, int pattern, int stripeSize, int stripeCount, String pool, int... osts) {
        return plain(order, V3, pattern, stripeSize, stripeCount, pool, osts);
    }

    private static byte[] plain(ByteOrder order, int magic, int pattern, int stripeSize, int stripeCount, String pool,
            int... osts) {
        ByteBuffer bytes = ByteBuffer.allocate(48 + osts.length * 24).order(order);
        bytes.putInt(magic).putInt(pattern);
        // lmm_oi
        bytes.putLong(0x200000402L).putLong(7);
        bytes.putInt(stripeSize).putShort((short) stripeCount).putShort((short) 0);
        if (magic == V3) {
            bytes.put(pool.getBytes(StandardCharsets.US_ASCII)).position(48);
        }
        for (int ost : osts) {
            boolean isLost = ost < 0;
            // l_ost_oi, l_ost_gen
            bytes.putLong(isLost ? 0 : 1234).putLong(0).putInt(0);
            bytes.putInt(isLost ? 0 : ost);
        }
        byte[] made = new byte[bytes.position()];
        bytes.flip().get(made);
        return made;
    }

    /** Returns a struct lov_comp_md_v1. */
    static byte[] composite(ByteOrder order, Component... components) {
        List<Integer> places = new ArrayList<>();
        int size = 32 + components.length * 48;
        for (Component component : components) {
            places.add(size);
            size += component.layout().length();
        }
        ByteBuffer bytes = ByteBuffer.allocate(size).order(order);
        bytes.putInt(COMPOSITE).putInt(size).putInt(3).putShort((short) 0).putShort((short) components.length);
        bytes.position(32);
        for (int i = 0; i < components.length; i++) {
            Component component = components[i];
            bytes.putInt(i + 1).putInt(component.flags()).putLong(component.start()).putLong(component.end());
            bytes.putInt(places.get(i)).putInt(component.layout().length());
            bytes.putInt(0).putLong(0).putInt(0);
        }
        for (Component component : components) {
            bytes.put(component.layout().toBytes());
        }
        return bytes.array();
    }
}
