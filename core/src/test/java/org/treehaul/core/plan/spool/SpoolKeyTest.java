// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.plan.format.SpooledStatus;

/** Keys and entries of the spool, written and read in place. */
class SpoolKeyTest {

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String shown(SpoolKey key) {
        return key.root() + " " + new String(key.path(), StandardCharsets.US_ASCII) + " " + key.nameStart();
    }

    @Test
    void keysReadOneAfterAnotherAreThoseReadAlone() {
        Random random = new Random(11);
        List<String> directories = List.of("", "a", "a/b", "a/b/c", "ab", "b", "a/bc", "a/b/cc/d");
        SpoolKey.Parser parser = new SpoolKey.Parser();
        String last = "none";
        for (int i = 0; i < 5_000; i++) {
            int root = random.nextInt(2);
            String directory = directories.get(random.nextInt(random.nextBoolean() ? 2 : directories.size()));
            String name = directory.isEmpty() && random.nextInt(9) == 0 ? "" : "n" + "x".repeat(random.nextInt(4));
            byte[] key = SpoolKey.of(root, bytes(directory), bytes(name));
            byte[] head = SpoolKey.before(root, bytes(directory));
            assertThat(key).startsWith(head).hasSize(head.length + name.length());
            // Between other bytes.
            int from = random.nextInt(3);
            byte[] memory = Arrays.copyOf(new byte[from], from + key.length + 2);
            System.arraycopy(key, 0, memory, from, key.length);
            SpoolKey read = parser.parse(memory, from, from + key.length);
            assertThat(shown(read)).isEqualTo(shown(SpoolKey.parse(key, 0)));
            assertThat(new String(read.path(), StandardCharsets.US_ASCII))
                    .isEqualTo(directory.isEmpty() ? name : directory + "/" + name);
            assertThat(parser.isBeside()).isEqualTo(last.equals(root + directory));
            assertThat(parser.root()).isEqualTo(root);
            assertThat(new String(parser.directory(), StandardCharsets.US_ASCII))
                    .isEqualTo(directory.isEmpty() ? "" : directory + "/");
            assertThat(new String(memory, parser.nameStart(), parser.nameEnd() - parser.nameStart(),
                    StandardCharsets.US_ASCII)).isEqualTo(name);
            last = root + directory;
        }
    }

    @Test
    void anEntryWrittenInPlaceIsTheEncodedOne() {
        Random random = new Random(13);
        for (EntryKind kind : EntryKind.values()) {
            for (boolean hasChangeTime : new boolean[]{false, true}) {
                SpooledStatus status = new SpooledStatus(kind, random.nextLong(), random.nextLong(), random.nextLong(),
                        random.nextInt(), random.nextLong(), random.nextLong(), hasChangeTime ? random.nextLong() : 0,
                        hasChangeTime ? 5 : SpooledStatus.NO_CHANGE_TIME);
                SpooledEntry entry = new SpooledEntry(SpooledEntry.Role.SINGLE, 0, status);
                byte[] memory = new byte[200];
                SpooledEntry.put(status, memory, 7);
                int end = 7 + SpooledEntry.bytes(status);
                assertThat(Arrays.copyOfRange(memory, 7, end)).isEqualTo(entry.encode());
                assertThat(SpooledEntry.decode(memory, 7, end)).isEqualTo(entry);
                SpooledEntry placed = new SpooledEntry(SpooledEntry.Role.FURTHER, 300, status, List.of(1, 2, 3),
                        List.of(10L, 20L));
                byte[] encoded = placed.encode();
                System.arraycopy(encoded, 0, memory, 9, encoded.length);
                assertThat(SpooledEntry.decode(memory, 9, 9 + encoded.length)).isEqualTo(placed);
                assertThat(SpooledEntry.decode(encoded)).isEqualTo(placed);
            }
        }
    }
}
