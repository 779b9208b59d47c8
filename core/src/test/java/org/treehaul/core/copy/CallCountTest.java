// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.fs.Call;

/** The number of system calls that a copy makes for each file: speed depends on it. */
class CallCountTest {

    private static final int FILES = 50;

    // Returns the calls for each further file: those for many files minus those for one, divided by the difference in
    // number.
    private static Map<Call, Double> callsPerFile(int size, CopyOptions options) {
        Map<Call, Long> ofOne = calls(1, size, options);
        Map<Call, Long> ofMany = calls(FILES + 1, size, options);
        Map<Call, Double> perFile = new EnumMap<>(Call.class);
        ofMany.forEach((call, count) -> {
            double each = (count - ofOne.getOrDefault(call, 0L)) / (double) FILES;
            if (each != 0) {
                perFile.put(call, each);
            }
        });
        return perFile;
    }

    private static Map<Call, Long> calls(int files, int size, CopyOptions options) {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> {
                for (int i = 0; i < files; i++) {
                    writer.file(path("f" + i), size, i);
                }
            });
            return copies.copy(options).succeeds().calls().counts();
        }
    }

    private static Map<Call, Double> each(Call... calls) {
        Map<Call, Double> result = new EnumMap<>(Call.class);
        Arrays.stream(calls).forEach(call -> result.merge(call, 1.0, Double::sum));
        return result;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10_000, 250_000})
    void aSmallNewFileTakesTheLeastSequence(int size) {
        assertThat(callsPerFile(size, archive().threads(1).build())).isEqualTo(each(Call.OPENAT, Call.STATX,
                Call.FLISTXATTR, Call.OPENAT, Call.READ, Call.WRITE, Call.FUTIMENS, Call.CLOSE, Call.CLOSE));
    }

    @Test
    void aSmallNewFileWithoutMetadataTakesTwoFewer() {
        assertThat(callsPerFile(100, CopyOptions.builder().recursive(true).threads(1).build()))
                .isEqualTo(each(Call.OPENAT, Call.STATX, Call.OPENAT, Call.READ, Call.WRITE, Call.CLOSE, Call.CLOSE));
    }

    @Test
    void toReadASmallFileBackTakesThreeMore() {
        Map<Call, Double> plain = callsPerFile(5000, archive().threads(1).build());
        each(Call.OPENAT, Call.PREAD, Call.CLOSE).forEach((call, more) -> plain.merge(call, more, Double::sum));
        assertThat(callsPerFile(5000, archive().threads(1).verify(CopyOptions.Verify.XXH3).build())).isEqualTo(plain);
    }

    @Test
    void anEmptyFileIsNotWritten() {
        assertThat(callsPerFile(0, archive().threads(1).build())).doesNotContainKey(Call.WRITE);
    }
}
