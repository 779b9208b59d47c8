// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.locality.LustreBytes.EOF;
import static org.treehaul.core.locality.LustreBytes.INIT;
import static org.treehaul.core.locality.LustreBytes.RAID0;
import static org.treehaul.core.locality.LustreBytes.composite;
import static org.treehaul.core.locality.LustreBytes.v1;
import static org.treehaul.core.locality.LustreBytes.v3;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.locality.LustreBytes.Component;
import org.treehaul.core.testing.Campaign;

class LustreLayoutTest {

    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
    private static final int MIB = 1 << 20;

    private static DataLayout parse(byte[] bytes) throws LayoutException {
        return LustreLayout.parse("lustre.lov", ByteString.of(bytes));
    }

    private static Component component(long start, long end, byte[] layout) {
        return new Component(start, end, INIT, ByteString.of(layout));
    }

    private static void refused(byte[] bytes, String problem) {
        assertThatThrownBy(() -> parse(bytes)).isInstanceOf(LayoutException.class)
                .hasMessageStartingWith("lustre.lov: " + problem + ": '");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileStripedOverOsts(boolean isBigEndian) throws LayoutException {
        ByteOrder order = isBigEndian ? ByteOrder.BIG_ENDIAN : LITTLE;
        DataLayout layout = parse(v1(order, RAID0, MIB, 3, 4, 0, 0x1F));
        assertThat(layout.kind()).isEqualTo("lustre");
        assertThat(layout.servers()).containsExactly("OST0004", "OST0000", "OST001f");
        assertThat(layout.serverOf(MIB)).contains("OST0000");
        DataExtent extent = layout.extents().getFirst();
        assertThat(extent.stripeSize()).isEqualTo(MIB);
        assertThat(extent.stripeCount()).isEqualTo(3);
        assertThat(extent.isOpen()).isTrue();
        assertThat(parse(v3(order, RAID0, MIB, 1, "flash", 2)).extents().getFirst().pool()).isEqualTo("flash");
        assertThat(parse(v3(order, RAID0, MIB, 1, "fifteen-letters", 2)).extents().getFirst().pool())
                .isEqualTo("fifteen-letters");
    }

    @Test
    void aProgressiveLayoutHasAnExtentForEachComponentWithObjects() throws LayoutException {
        DataLayout layout = parse(composite(LITTLE, component(0, MIB, v1(LITTLE, LustreBytes.MDT, MIB, 0)),
                component(MIB, 64L * MIB, v1(LITTLE, RAID0, MIB, 1, 7)),
                component(64L * MIB, 1L << 40, v3(LITTLE, RAID0, 4 * MIB, 4, "p", 1, 2, 3, 4)),
                new Component(1L << 40, EOF, 0, ByteString.of(v1(LITTLE, RAID0, 16 * MIB, 0xFFFF)))));
        assertThat(layout.extents()).hasSize(3);
        assertThat(layout.serverOf(0)).contains("MDT");
        assertThat(layout.serverOf(MIB)).contains("OST0007");
        // Stripe 16 of 4 MiB from the beginning of the file.
        assertThat(layout.serverOf(64L * MIB)).contains("OST0001");
        assertThat(layout.serverOf(68L * MIB)).contains("OST0002");
        assertThat(layout.serverOf(1L << 40)).isEmpty();
        assertThat(layout.servers(0, 2 * MIB)).containsExactly("MDT", "OST0007");
    }

    @Test
    void mirrorsAreExtentsOfTheSameRangeAndOutdatedOnesAreLeftOut() throws LayoutException {
        byte[] one = v1(LITTLE, RAID0, MIB, 1, 1);
        byte[] two = v1(LITTLE, RAID0 | LustreBytes.OVERSTRIPING, MIB, 2, 2, 2);
        byte[] old = v1(LITTLE, RAID0, MIB, 1, 3);
        DataLayout layout = parse(composite(LITTLE, component(0, EOF, one), component(0, EOF, two),
                new Component(0, EOF, INIT | LustreBytes.STALE, ByteString.of(old)),
                new Component(MIB, EOF, INIT | LustreBytes.EXTENSION, ByteString.of(old))));
        assertThat(layout.extents()).hasSize(2);
        assertThat(layout.servers(0, 1)).containsExactly("OST0001", "OST0002");
        assertThat(layout.servers()).containsExactly("OST0001", "OST0002");
    }

    @Test
    void aReleasedFileHasNoServers() throws LayoutException {
        DataLayout layout = parse(v1(LITTLE, RAID0 | LustreBytes.RELEASED, MIB, 4));
        assertThat(layout.isReleased()).isTrue();
        assertThat(layout.extents()).isEmpty();
        assertThat(parse(composite(LITTLE, component(0, EOF, v1(LITTLE, RAID0 | LustreBytes.RELEASED, MIB, 1))))
                .isReleased()).isTrue();
    }

    @Test
    void aFileWithoutObjectsHasNoServers() throws LayoutException {
        assertThat(parse(v1(LITTLE, RAID0, MIB, 4)).extents()).isEmpty();
        assertThat(parse(v3(LITTLE, RAID0, MIB, 4, "p")).extents()).isEmpty();
        assertThat(parse(composite(LITTLE)).extents()).isEmpty();
        assertThat(parse(composite(LITTLE, component(0, EOF, v1(LITTLE, LustreBytes.FOREIGN, 0, 0)))).extents())
                .isEmpty();
        byte[] foreign = v1(LITTLE, 0, 0, 0);
        ByteBuffer.wrap(foreign).order(LITTLE).putInt(0, 0x0BD70BD0);
        assertThat(parse(foreign).extents()).isEmpty();
    }

    @Test
    void aFileWithLostObjectsHasUnknownServers() throws LayoutException {
        DataLayout layout = parse(v1(LITTLE, RAID0 | LustreBytes.HOLE, MIB, 3, 5, -1, 6));
        assertThat(layout.extents().getFirst().stripeCount()).isEqualTo(3);
        assertThat(layout.servers()).isEmpty();
    }

    @Test
    void malformedValuesAreRefused() {
        refused(new byte[0], "too short");
        refused(new byte[]{1, 2, 3}, "too short");
        refused(new byte[]{1, 2, 3, 4}, "unknown format");
        byte[] plain = v1(LITTLE, RAID0, MIB, 2, 1, 2);
        refused(Arrays.copyOf(plain, 31), "a layout is too short");
        refused(Arrays.copyOf(plain, plain.length - 1), "too short for 2 stripes");
        refused(Arrays.copyOf(v3(LITTLE, RAID0, MIB, 1, "p", 1), 40), "a layout is too short");
        refused(v1(LITTLE, RAID0, 0, 1, 1), "no stripes");
        refused(v1(LITTLE, RAID0, MIB, 0, 1), "no stripes");
        refused(v1(LITTLE, RAID0, MIB, 1, 0x10000), "no index of an OST: 65536");
        refused(v1(LITTLE, 0x2, MIB, 1, 1), "unknown pattern 0x2");
        byte[] pool = v3(LITTLE, RAID0, MIB, 1, "p", 1);
        pool[33] = (byte) 0xE4;
        refused(pool, "the name of a pool is not ASCII");
    }

    @Test
    void componentsOutsideTheValueAreRefused() {
        byte[] layout = v1(LITTLE, RAID0, MIB, 1, 1);
        refused(composite(LITTLE, component(5, 5, layout)), "a component has no range");
        refused(composite(LITTLE, component(-2, EOF, layout)), "a component has no range");
        refused(composite(LITTLE, component(0, -2, layout)), "a component has no range");
        refused(composite(LITTLE, component(0, EOF, new byte[4])), "a layout is too short");
        refused(composite(LITTLE, component(0, EOF, composite(LITTLE))), "unknown format of a component");
        refused(set(composite(LITTLE, component(0, EOF, layout)), 4, -1), "too short for 1 components");
        refused(set(composite(LITTLE, component(0, EOF, layout)), 12, 0xFFFF0000), "too short for 65535 components");
        // The place, and the size, of the component's layout.
        refused(set(composite(LITTLE, component(0, EOF, layout)), 32 + 24, -1), "a component is outside");
        refused(set(composite(LITTLE, component(0, EOF, layout)), 32 + 24, 0), "a component is outside");
        refused(set(composite(LITTLE, component(0, EOF, layout)), 32 + 28, -1), "a component is outside");
        refused(set(composite(LITTLE, component(0, EOF, layout)), 32 + 28, 0x7FFFFFFF), "a component is outside");
    }

    private static byte[] set(byte[] bytes, int at, int value) {
        ByteBuffer.wrap(bytes).order(LITTLE).putInt(at, value);
        return bytes;
    }

    // Otherwise 1,300 components of the same 1,300 objects would take a gigabyte.
    @Test
    void componentsThatShareObjectsAreRefused() {
        int[] osts = IntStream.range(0, 600).toArray();
        byte[] layout = v1(LITTLE, RAID0, MIB, osts.length, osts);
        byte[] value = composite(LITTLE, component(0, MIB, layout), component(MIB, EOF, new byte[0]));
        // The second component is where the first one is.
        ByteBuffer bytes = ByteBuffer.wrap(value).order(LITTLE);
        bytes.putInt(32 + 48 + 24, bytes.getInt(32 + 24)).putInt(32 + 48 + 28, layout.length);
        refused(value, "components overlap");
    }

    @Test
    void damagedValuesThrowNothingElse() {
        damage(20_000, 7);
    }

    @Tag("campaign")
    @Test
    void manyDamagedValuesThrowNothingElse() {
        damage(Campaign.cases(20_000_000), Campaign.seed(12));
    }

    private static void damage(int cases, long seed) {
        List<byte[]> values = List.of(v1(LITTLE, RAID0, MIB, 3, 4, 0, 31),
                v3(ByteOrder.BIG_ENDIAN, RAID0, MIB, 2, "pool", 4, 0),
                composite(LITTLE, component(0, MIB, v1(LITTLE, LustreBytes.MDT, MIB, 0)),
                        component(MIB, EOF, v3(LITTLE, RAID0, MIB, 2, "p", 1, 2))));
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < cases; i++) {
            byte[] damaged = Damage.of(random, values.get(i % values.size()), "\0\1\u007f\u0080\u00ff");
            try {
                DataLayout layout = parse(damaged);
                layout.servers();
                layout.serverOf(MIB);
            } catch (LayoutException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(cases / 10, cases - 1);
    }
}
