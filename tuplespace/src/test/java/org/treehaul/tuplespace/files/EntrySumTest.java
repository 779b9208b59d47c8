// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.tuplespace.tuple.TupleType;

class EntrySumTest {

    private static final EntrySum SUMS = new EntrySum(42);

    private static FileTuple tuple(EntryKind kind) {
        return new FileTuple(ByteString.of("/d"), ByteString.of("name"), kind, 1, 2, 3, 4, 5, 6L, 7, 8, 9, 10, 11, 12,
                ByteString.of("target"), ByteString.of("hash"), false, 13, ByteString.of("server"));
    }

    private static Object other(Object value) {
        return switch (value) {
            case Long number -> number + 1;
            case Integer number -> number + 1;
            case Boolean flag -> !flag;
            case EntryKind kind -> kind == EntryKind.FIFO ? EntryKind.SOCKET : EntryKind.FIFO;
            case ByteString bytes -> bytes.plus(ByteString.of("x"));
            default -> throw new IllegalArgumentException(value.toString());
        };
    }

    @ParameterizedTest
    @EnumSource
    void theNumberChangesWithWhatARunCompares(EntryKind kind) throws ReflectiveOperationException {
        FileTuple tuple = tuple(kind);
        TupleType<FileTuple> type = TupleType.of(FileTuple.class);
        RecordComponent[] components = FileTuple.class.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            Object[] values = new Object[components.length];
            for (int j = 0; j < values.length; j++) {
                values[j] = components[j].getAccessor().invoke(tuple);
            }
            values[i] = other(values[i]);
            FileTuple changed = FileTuple.class
                    .getConstructor(Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new))
                    .newInstance(values);

            boolean isCompared = !tuple.isSameEntry(changed) || !tuple.name().equals(changed.name());
            assertThat(SUMS.of(changed) != SUMS.of(tuple)).as(type.components().get(i).name()).isEqualTo(isCompared);
        }
    }

    @Test
    void aSelectedEntryAndAnAbsentValueHaveOtherNumbers() {
        FileTuple tuple = tuple(EntryKind.REGULAR);
        Set<Long> numbers = new HashSet<>(Set.of(SUMS.of(tuple), SUMS.of(tuple.withUnread(false, 0))));
        assertThat(numbers).hasSize(2);
        FileTuple without = new FileTuple(tuple.directory(), tuple.name(), tuple.kind(), 1, 2, 3, 4, 5, 0L, 7, 8, 9, 10,
                11, 12, null, null, false, 13);
        FileTuple absent = new FileTuple(tuple.directory(), tuple.name(), tuple.kind(), 1, 2, 3, 4, 5, null, 7, 8, 9,
                10, 11, 12, null, null, false, 13);
        assertThat(SUMS.of(without)).isNotEqualTo(SUMS.of(absent));
        assertThat(SUMS.of(tuple.withUnread(false, 14))).isEqualTo(SUMS.of(tuple));
    }

    @Test
    void anotherKeyMakesOtherNumbers() {
        FileTuple tuple = tuple(EntryKind.REGULAR);

        assertThat(new EntrySum(43).of(tuple)).isNotEqualTo(SUMS.of(tuple));
        assertThat(new EntrySum(42).of(tuple)).isEqualTo(SUMS.of(tuple));
        assertThat(EntrySum.random().key()).isNotEqualTo(EntrySum.random().key());
    }

    @Test
    void namesThatDifferInOneByteHaveDifferentNumbers() {
        FileTuple tuple = tuple(EntryKind.REGULAR);
        Set<Long> numbers = new HashSet<>();
        byte[] name = new byte[9];
        for (int i = 0; i < name.length; i++) {
            for (int value = 1; value < 256; value++) {
                Arrays.fill(name, (byte) 'a');
                name[i] = (byte) value;
                numbers.add(SUMS.of(new FileTuple(tuple.directory(), ByteString.of(name), tuple.kind(), 1, 2, 3, 4, 5,
                        6L, 7, 8, 9, 10, 11, 12, null, null, false, 13)));
            }
        }
        // The name of nine letters a is among those of each place.
        assertThat(numbers).hasSize(9 * 254 + 1);
    }
}
