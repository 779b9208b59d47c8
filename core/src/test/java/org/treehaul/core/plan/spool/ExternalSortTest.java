// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExternalSortTest {

    @TempDir
    private Path directory;

    // The last case has more files than are merged at once, twice over.
    @ParameterizedTest
    @CsvSource({"0, 4096, false", "1, 4096, true", "500, 1000000, false", "500, 1000000, true", "500, 4096, false",
            "500, 4096, true", "20000, 100, false"})
    void recordsComeInTheOrderOfTheirKeysAsOftenAsTheyAreRead(int count, int runBytes, boolean descending)
            throws IOException {
        Random random = new Random(count);
        List<byte[]> keys = new ArrayList<>();
        try (ExternalSort sort = new ExternalSort(directory, "x", descending, runBytes)) {
            for (int i = 0; i < count; i++) {
                byte[] key = new byte[random.nextInt(random.nextInt(50) == 0 ? 9_000 : 12)];
                random.nextBytes(key);
                keys.add(key);
                sort.add(key, Arrays.copyOf(key, 3));
            }
            keys.sort(descending
                    ? Comparator.comparing((byte[] key) -> key, Arrays::compareUnsigned).reversed()
                    : Arrays::compareUnsigned);
            for (int round = 0; round < 2; round++) {
                int at = 0;
                try (ExternalSort.Records records = sort.open()) {
                    while (records.advance()) {
                        assertThat(records.key()).isEqualTo(keys.get(at));
                        assertThat(records.content()).isEqualTo(Arrays.copyOf(keys.get(at), 3));
                        at++;
                    }
                }
                assertThat(at).isEqualTo(count);
            }
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }
}
