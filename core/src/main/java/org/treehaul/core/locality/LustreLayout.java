// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.treehaul.core.entry.ByteString;

/**
 * Parses the layout of a file of Lustre. The structures are those of {@code lustre_user.h}: {@code lov_user_md_v1} and
 * {@code _v3} of a file with one layout, {@code lov_comp_md_v1} of one with components (progressive layouts, data on
 * the metadata server, mirrors), which contains one of the former for each component. They have the byte order of the
 * machine that wrote them.
 */
final class LustreLayout {

    // LOV_USER_MAGIC_*.
    private static final int MAGIC_V1 = 0x0BD10BD0;
    private static final int MAGIC_V3 = 0x0BD30BD0;
    private static final int MAGIC_SPECIFIC = 0x0BD50BD0;
    private static final int MAGIC_COMPOSITE = 0x0BD60BD0;
    private static final int MAGIC_FOREIGN = 0x0BD70BD0;

    // lov_user_md: magic, pattern, 16 bytes of identity, stripe size, stripe count; in V3 then the name of a pool.
    private static final int PATTERN = 4;
    private static final int STRIPE_SIZE = 24;
    private static final int STRIPE_COUNT = 28;
    private static final int HEADER_V1 = 32;
    private static final int POOL_BYTES = 16;

    // lov_user_ost_data: 16 bytes of identity, generation, index of the OST.
    private static final int OBJECT_BYTES = 24;
    private static final int OST_INDEX = 20;

    // LOV_PATTERN_*.
    private static final int RAID0 = 0x1;
    private static final int ON_MDT = 0x100;
    private static final int OVERSTRIPED = 0x200;
    private static final int FOREIGN = 0x400;
    private static final int FLAGS = 0xFFFF0000;
    private static final int HOLE = 0x40000000;
    private static final int RELEASED = 0x80000000;

    // lov_comp_md: magic, size, generation, flags, number of entries.
    private static final int SIZE = 4;
    private static final int ENTRY_COUNT = 14;
    private static final int COMPOSITE_HEADER = 32;

    // lov_comp_md_entry: id, flags, first byte, byte behind the last one, place and size of the component's layout.
    private static final int ENTRY_BYTES = 48;
    private static final int ENTRY_FLAGS = 4;
    private static final int ENTRY_START = 8;
    private static final int ENTRY_END = 16;
    private static final int ENTRY_OFFSET = 24;
    private static final int ENTRY_SIZE = 28;

    // LCME_FL_*.
    private static final int STALE = 0x01;
    private static final int INSTANTIATED = 0x10;
    private static final int EXTENSION = 0x40;

    // LUSTRE_EOF.
    private static final long NO_END = -1;

    private static final int MOST_OSTS = 0x10000;

    private final String attribute;
    private final ByteString value;
    private final ByteBuffer buffer;
    private final List<DataExtent> extents = new ArrayList<>();
    private boolean isReleased;
    // The layouts of components do not overlap, so their objects cannot be more than the value has room for.
    private int objectsLeft;

    private LustreLayout(String attribute, ByteString value) {
        this.attribute = attribute;
        this.value = value;
        this.buffer = ByteBuffer.wrap(value.toBytes()).order(ByteOrder.LITTLE_ENDIAN);
        this.objectsLeft = value.length() / OBJECT_BYTES;
    }

    /** Parses the value of an attribute. */
    static DataLayout parse(String attribute, ByteString value) throws LayoutException {
        LustreLayout layout = new LustreLayout(attribute, value);
        layout.parse();
        return new DataLayout(LustreLocality.KIND, layout.extents, layout.isReleased);
    }

    private void parse() throws LayoutException {
        require(buffer.limit() >= Integer.BYTES, "too short");
        int magic = buffer.getInt(0);
        if (!isMagic(magic)) {
            buffer.order(ByteOrder.BIG_ENDIAN);
            magic = buffer.getInt(0);
        }
        require(isMagic(magic), "unknown format");
        if (magic == MAGIC_COMPOSITE) {
            composite();
        } else if (magic != MAGIC_FOREIGN) {
            component(0, buffer.limit(), 0, Long.MAX_VALUE);
        }
    }

    private static boolean isMagic(int magic) {
        return magic == MAGIC_COMPOSITE || magic == MAGIC_FOREIGN || isPlain(magic);
    }

    private static boolean isPlain(int magic) {
        return magic == MAGIC_V1 || hasPool(magic);
    }

    private static boolean hasPool(int magic) {
        return magic == MAGIC_V3 || magic == MAGIC_SPECIFIC;
    }

    private void composite() throws LayoutException {
        require(buffer.limit() >= COMPOSITE_HEADER, "too short");
        long size = Integer.toUnsignedLong(buffer.getInt(SIZE));
        int count = Short.toUnsignedInt(buffer.getShort(ENTRY_COUNT));
        long first = COMPOSITE_HEADER + (long) count * ENTRY_BYTES;
        require(size <= buffer.limit() && first <= size, "too short for " + count + " components");
        for (int i = 0; i < count; i++) {
            entry(COMPOSITE_HEADER + i * ENTRY_BYTES, first, size);
        }
    }

    private void entry(int at, long first, long size) throws LayoutException {
        int flags = buffer.getInt(at + ENTRY_FLAGS);
        long start = buffer.getLong(at + ENTRY_START);
        long end = buffer.getLong(at + ENTRY_END);
        long place = Integer.toUnsignedLong(buffer.getInt(at + ENTRY_OFFSET));
        long length = Integer.toUnsignedLong(buffer.getInt(at + ENTRY_SIZE));
        if ((flags & INSTANTIATED) == 0 || (flags & (STALE | EXTENSION)) != 0) {
            // It has no objects yet or never, or a mirror is outdated.
            return;
        }
        require(start >= 0 && (end == NO_END || end > start), "a component has no range");
        require(place >= first && length <= size - place, "a component is outside");
        component((int) place, (int) (place + length), start, end == NO_END ? Long.MAX_VALUE : end);
    }

    private void component(int at, int limit, long start, long end) throws LayoutException {
        require(limit - at >= HEADER_V1, "a layout is too short");
        int magic = buffer.getInt(at);
        require(isPlain(magic), "unknown format of a component");
        int header = HEADER_V1 + (hasPool(magic) ? POOL_BYTES : 0);
        require(limit - at >= header, "a layout is too short");
        int pattern = buffer.getInt(at + PATTERN);
        if ((pattern & RELEASED) != 0) {
            isReleased = true;
            return;
        }
        String pool = hasPool(magic) ? pool(at + HEADER_V1) : "";
        switch (pattern & ~FLAGS) {
            case ON_MDT ->
                extents.add(new DataExtent(start, end - start, 0, 1, List.of(Holders.of(DataPlace.on("MDT"))), pool));
            case RAID0, RAID0 | OVERSTRIPED -> striped(at, header, limit, start, end, pool);
            case FOREIGN -> {
                // The data are in another system.
            }
            default -> throw wrong("unknown pattern 0x" + Integer.toHexString(pattern));
        }
    }

    private void striped(int at, int header, int limit, long start, long end, String pool) throws LayoutException {
        if (limit - at == header) {
            // No objects yet.
            return;
        }
        long stripeSize = Integer.toUnsignedLong(buffer.getInt(at + STRIPE_SIZE));
        int count = Short.toUnsignedInt(buffer.getShort(at + STRIPE_COUNT));
        require(stripeSize > 0 && count > 0, "no stripes");
        require((long) count * OBJECT_BYTES <= limit - at - header, "too short for " + count + " stripes");
        objectsLeft -= count;
        require(objectsLeft >= 0, "components overlap");
        boolean mayLack = (buffer.getInt(at + PATTERN) & HOLE) != 0;
        List<Holders> holders = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int object = at + header + i * OBJECT_BYTES;
            boolean isLost = mayLack && buffer.getLong(object) == 0 && buffer.getLong(object + Long.BYTES) == 0;
            if (isLost) {
                // An object that was lost has no place, and the others alone would be misleading.
                holders.clear();
                break;
            }
            long index = Integer.toUnsignedLong(buffer.getInt(object + OST_INDEX));
            require(index < MOST_OSTS, "no index of an OST: " + index);
            holders.add(Holders.of(DataPlace.on(String.format(Locale.ROOT, "OST%04x", index))));
        }
        extents.add(new DataExtent(start, end - start, stripeSize, count, holders, pool));
    }

    // lmm_pool_name: filled with NULs.
    private String pool(int at) throws LayoutException {
        StringBuilder name = new StringBuilder();
        for (int i = at; i < at + POOL_BYTES && buffer.get(i) != 0; i++) {
            name.append((char) (buffer.get(i) & 0xFF));
        }
        require(StandardCharsets.US_ASCII.newEncoder().canEncode(name), "the name of a pool is not ASCII");
        return name.toString();
    }

    private void require(boolean holds, String problem) throws LayoutException {
        if (!holds) {
            throw wrong(problem);
        }
    }

    private LayoutException wrong(String problem) {
        return new LayoutException(attribute, value, problem);
    }
}
