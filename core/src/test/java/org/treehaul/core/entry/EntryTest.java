// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class EntryTest {

    private static final TreePath PATH = TreePath.root().child(new byte[]{'e'});

    private static FileStatus status(int mode, long inode, long mtimeSeconds, boolean hasBirthTime) {
        return new FileStatus(mode, 0xFFFF_FFFEL, 7, 1, inode, 64, 0, 5, 8, -1, 1, mtimeSeconds, 2, 3, 3, hasBirthTime,
                4, 4);
    }

    @Example
    void kindsAreThoseOfTheTypeBits() {
        assertThat(EntryKind.ofMode(0100644)).isEqualTo(EntryKind.REGULAR);
        assertThat(EntryKind.ofMode(040755)).isEqualTo(EntryKind.DIRECTORY);
        assertThat(EntryKind.ofMode(0120777)).isEqualTo(EntryKind.SYMLINK);
        assertThat(EntryKind.ofMode(0010600)).isEqualTo(EntryKind.FIFO);
        assertThat(EntryKind.ofMode(0140755)).isEqualTo(EntryKind.SOCKET);
        assertThat(EntryKind.ofMode(0060660)).isEqualTo(EntryKind.BLOCK);
        assertThat(EntryKind.ofMode(0020666)).isEqualTo(EntryKind.CHARACTER);
        for (EntryKind kind : EntryKind.values()) {
            assertThat(EntryKind.ofMode(kind.typeBits() | 07777)).isEqualTo(kind);
            assertThat(kind.label()).isEqualTo(kind.name().toLowerCase(Locale.ROOT));
            assertThat(kind.hasData()).isEqualTo(kind == EntryKind.REGULAR);
        }
    }

    @Example
    void typeBitsThatLinuxLacksAreRefused() {
        for (int type : new int[]{0, 0x3000, 0x5000, 0x7000, 0x9000, 0xB000, 0xD000, 0xF000}) {
            assertThatIllegalArgumentException().isThrownBy(() -> EntryKind.ofMode(type | 0644));
        }
    }

    @Example
    void statusGivesItsFieldsAsValues() {
        FileStatus status = status(0104751, -1, -100, true);
        assertThat(status.kind()).isEqualTo(EntryKind.REGULAR);
        assertThat(status.permissions()).isEqualTo(04751);
        assertThat(status.atime()).isEqualTo(new Timestamp(-1, 1));
        assertThat(status.mtime()).isEqualTo(new Timestamp(-100, 2));
        assertThat(status.ctime()).isEqualTo(new Timestamp(3, 3));
        assertThat(status.btime()).contains(new Timestamp(4, 4));
        assertThat(status(0100644, 1, 1, false).btime()).isEmpty();
    }

    @Example
    void filesAreTheSameByDeviceAndInodeAndUnchangedByTimesAndSize() {
        FileStatus status = status(0100644, 1, 1, true);
        assertThat(status.isSameFile(status(0100600, 1, 9, false))).isTrue();
        assertThat(status.isSameFile(status(0100644, 2, 1, true))).isFalse();
        assertThat(status.isUnchangedSince(status(0100600, 1, 1, false))).isTrue();
        assertThat(status.isUnchangedSince(status(0100644, 1, 2, true))).isFalse();
        assertThat(status.isUnchangedSince(status(0100644, 2, 1, true))).isFalse();
    }

    @Example
    void anEntryHoldsTheStatusThatTheWalkRead() {
        Entry named = Entry.named(PATH, EntryKind.FIFO, 9);
        assertThat(named.kind()).isEqualTo(EntryKind.FIFO);
        assertThat(named.inode()).isEqualTo(9);
        assertThat(named.status()).isEmpty();
        assertThat(named.linkTarget()).isEmpty();
        assertThat(named).hasToString("fifo e");
        Entry file = Entry.of(PATH, status(0100644, 3, 1, true));
        assertThat(file.kind()).isEqualTo(EntryKind.REGULAR);
        assertThat(file.inode()).isEqualTo(3);
        assertThat(file.status()).isPresent();
        Entry link = Entry.symlink(PATH, status(0120777, 3, 1, true), ByteString.of("target"));
        assertThat(link.linkTarget()).contains(ByteString.of("target"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Entry.symlink(PATH, status(0100644, 3, 1, true), ByteString.of("target")));
    }

    @Example
    void timesReadAsSecondsAndNanoseconds() {
        assertThat(new Timestamp(0, 5)).hasToString("0.000000005");
        assertThat(new Timestamp(-5, 999_999_999)).as("as find prints it").hasToString("-5.999999999");
        assertThat(new Timestamp(1L << 55, 999_999_999)).hasToString("36028797018963968.999999999");
        assertThatIllegalArgumentException().isThrownBy(() -> new Timestamp(0, 1_000_000_000));
        assertThatIllegalArgumentException().isThrownBy(() -> new Timestamp(0, -1));
    }

    @Example
    void timesReadTheSameInEveryLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertThat(new Timestamp(12, 5)).hasToString("12.000000005");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Property
    void timesAreInOrder(@ForAll long a, @ForAll long b, @ForAll @IntRange(max = 999_999_999) int aNanos,
            @ForAll @IntRange(max = 999_999_999) int bNanos) {
        List<Timestamp> times = new ArrayList<>(List.of(new Timestamp(a, aNanos), new Timestamp(b, bNanos)));
        Collections.sort(times);
        Timestamp first = times.get(0);
        Timestamp second = times.get(1);
        assertThat(first.seconds() < second.seconds()
                || first.seconds() == second.seconds() && first.nanos() <= second.nanos()).isTrue();
    }
}
