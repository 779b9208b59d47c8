// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.listing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.EntryKind;

class PackedEntriesTest {

    @Property(tries = 300)
    void entriesAreReadAsTheyWereAdded(@ForAll @Size(max = 40) List<byte[]> names, @ForAll EntryKind kind,
            @ForAll int first) {
        PackedEntries packed = new PackedEntries();
        for (int i = 0; i < names.size(); i++) {
            packed.add(names.get(i), i == 0 ? kind : EntryKind.REGULAR, first + i);
        }
        byte[] bytes = packed.bytes();
        int at = 0;
        for (int i = 0; i < names.size(); i++) {
            assertThat(PackedEntries.number(bytes, at)).isEqualTo(first + i);
            assertThat(PackedEntries.kind(bytes, at)).isEqualTo(i == 0 ? kind : EntryKind.REGULAR);
            int name = at + PackedEntries.NAME;
            int end = name + PackedEntries.nameLength(bytes, at);
            assertThat(Arrays.copyOfRange(bytes, name, end)).isEqualTo(names.get(i));
            assertThat(bytes[end]).isZero();
            at = PackedEntries.end(bytes, at);
        }
        assertThat(at).isEqualTo(packed.length());
    }

    @Test
    void namesUpToTheLimitFitAndLongerOnesAreRefused() {
        PackedEntries packed = new PackedEntries();
        packed.add(new byte[0xFFFF], EntryKind.FIFO, Integer.MAX_VALUE);
        assertThat(PackedEntries.nameLength(packed.bytes(), 0)).isEqualTo(0xFFFF);
        byte[] tooLong = new byte[0x10000];
        assertThatThrownBy(() -> packed.add(tooLong, EntryKind.FIFO, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
