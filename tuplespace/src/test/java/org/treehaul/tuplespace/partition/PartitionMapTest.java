// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The map of partitions against a model of GIGA+ that knows no bits. */
class PartitionMapTest {

    /** The depth of each active partition. */
    private static final class Model {
        final Map<Integer, Integer> depths = new TreeMap<>();

        /** Begins with the first partitions, which are those that splits in ascending order make. */
        Model(int first) {
            depths.put(0, 0);
            for (int depth = 0; depth < 6; depth++) {
                for (int number : List.copyOf(depths.keySet())) {
                    if (number + (1 << depth) < first) {
                        split(number);
                    }
                }
            }
        }

        int next(int partition) {
            return partition + (int) Math.pow(2, depth(partition));
        }

        private int depth(int partition) {
            return Objects.requireNonNull(depths.get(partition));
        }

        int split(int partition) {
            int next = next(partition);
            int depth = depth(partition) + 1;
            depths.put(partition, depth);
            depths.put(next, depth);
            return next;
        }

        /** Returns the partition all of whose common lower bits a hash has: there is exactly one. */
        int of(long hash) {
            List<Integer> found = new ArrayList<>();
            depths.forEach((number, depth) -> {
                if (Math.floorMod(hash, (long) Math.pow(2, depth)) == number) {
                    found.add(number);
                }
            });
            assertThat(found).hasSize(1);
            return found.getFirst();
        }

        /** Takes off the highest binary digit until an active partition is found. */
        int walk(long hash) {
            String digits = Long.toBinaryString(Math.floorMod(hash, 64L));
            while (!depths.containsKey(Integer.parseInt("0" + digits, 2))) {
                digits = digits.substring(1);
            }
            return Integer.parseInt("0" + digits, 2);
        }
    }

    private static void same(PartitionMap map, Model model, List<Long> hashes) {
        assertThat(map.all()).containsExactlyElementsOf(model.depths.keySet());
        model.depths.forEach((number, depth) -> {
            assertThat(map.has(number)).isTrue();
            assertThat(map.depth(number)).as("depth of %s", number).isEqualTo(depth);
            assertThat(map.next(number)).as("split of %s", number).isEqualTo(model.next(number));
        });
        for (long hash : hashes) {
            assertThat(map.of(hash)).as("partition of %x", hash).isEqualTo(model.of(hash)).isEqualTo(model.walk(hash));
        }
    }

    @Property(tries = 200)
    void splitsInAnyOrderPlaceHashesAsTheModelDoes(@ForAll @IntRange(min = 1, max = 64) int first,
            @ForAll @Size(max = 80) List<@IntRange(min = 0, max = 63) Integer> splits,
            @ForAll @Size(20) List<Long> hashes) {
        Model model = new Model(first);
        PartitionMap map = PartitionMap.ofFirst(first);
        same(map, model, hashes);
        for (int partition : splits) {
            if (model.depths.containsKey(partition) && model.next(partition) < 64) {
                PartitionMap before = map;
                int next = model.split(partition);
                assertThat(PartitionMap.children(partition) >>> next & 1).isEqualTo(1);
                map = map.with(1L << next);
                for (long hash : hashes) {
                    // A hash stays, or goes from the partition that is split to the new one.
                    assertThat(map.of(hash)).isIn(before.of(hash), before.of(hash) == partition ? next : -1);
                }
            }
        }
        same(map, model, hashes);
    }

    @Test
    void splitsGoOnUntilThereAre64Partitions() {
        Model model = new Model(1);
        PartitionMap map = PartitionMap.ofFirst(1);
        List<Long> hashes = List.of(0L, 31L, 32L, 63L, 64L, -1L, Long.MIN_VALUE, Long.MAX_VALUE);
        for (int depth = 0; depth < 6; depth++) {
            for (int number : map.all()) {
                assertThat(map.next(number)).isEqualTo(model.split(number));
                map = map.with(1L << map.next(number));
                same(map, model, hashes);
            }
        }
        assertThat(map).isEqualTo(PartitionMap.ofFirst(64));
        assertThat(map.active()).isEqualTo(-1);
        assertThat(map.has(63)).isTrue();
        assertThat(map.of(-1)).isEqualTo(63);
        assertThat(map.all())
                .allSatisfy(number -> assertThat(PartitionMap.ofFirst(64).next(number)).isGreaterThanOrEqualTo(64));
    }

    @Test
    void theLastPartitionIsAChildOfThatWithoutItsHighestBit() {
        assertThat(PartitionMap.children(31)).isEqualTo(1L << 63);
        assertThat(PartitionMap.children(63)).isZero();
        assertThat(PartitionMap.children(0)).isEqualTo(1L << 1 | 1L << 2 | 1L << 4 | 1L << 8 | 1L << 16 | 1L << 32);
        assertThat(PartitionMap.ofFirst(63).next(31)).isEqualTo(63);
        assertThat(PartitionMap.ofFirst(63).with(1L << 63)).isEqualTo(PartitionMap.ofFirst(64));
    }

    @Test
    void aSpaceHasFrom1To64Partitions() {
        assertThat(PartitionOptions.ofFirst(1).first()).isEqualTo(1);
        assertThat(PartitionOptions.ofFirst(64).first()).isEqualTo(64);
        for (int number : new int[]{0, 65}) {
            assertThatIllegalArgumentException().isThrownBy(() -> PartitionOptions.ofFirst(number))
                    .withMessage(number + " first partitions; from 1 to 64");
        }
        assertThatIllegalArgumentException().isThrownBy(() -> new PartitionMap(1L << 63))
                .withMessage("partition 0 is not active");
    }
}
