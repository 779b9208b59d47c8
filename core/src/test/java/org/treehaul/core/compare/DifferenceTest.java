// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import java.time.ZoneOffset;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.entry.TreePath;

class DifferenceTest {

    @ParameterizedTest
    @CsvSource({"1000000000.000000000,1000000001.000000000,2001-09-09 03:46:40 (A) | 2001-09-09 03:46:41 (B)",
            "1000000000.000000001,1000000000.900000000,2001-09-09 03:46:40.000000001 (A) | 2001-09-09 03:46:40.900000000 (B)",
            "-1.500000000,0.000000000,1970-01-01 00:59:59 (A) | 1970-01-01 01:00:00 (B)",
            "253402000000.000000000,-62135000000.000000000,9999-12-28 13:26:40 (A) | 0001-01-07 22:40:08 (B)",
            "253402300800.000000000,0.000000000,253402300800.000000000 (A) | 0.000000000 (B)",
            "0.000000000,-36028797018963968.000000000,0.000000000 (A) | -36028797018963968.000000000 (B)",
            "36028797018963968.000000000,0.000000000,36028797018963968.000000000 (A) | 0.000000000 (B)",
            "9223372036854775807.000000000,0.000000000,9223372036854775807.000000000 (A) | 0.000000000 (B)",
            "0.0,1.0,0.0 (A) | 1.0 (B)"})
    void timesOfUsualYearsAreLocalDates(String a, String b, String text) {
        Difference difference = Difference.of(DifferenceKind.MTIME, TreePath.of(new byte[]{'f'}), a, b);
        assertThat(difference.line(ZoneId.of("Europe/Berlin"))).isEqualTo("f: mtime " + text);
    }

    @Test
    void eachValueMayNameItsSide() {
        TreePath path = TreePath.of(new byte[]{'f'});
        assertThat(
                Difference.of(DifferenceKind.MODE, path, "0644", "0600").values(" (source)", " (copy)", ZoneOffset.UTC))
                .isEqualTo("mode 0644 (source) | 0600 (copy)");
        assertThat(Difference.of(DifferenceKind.MTIME, path, "0.000000001", "0.000000002")
                .values(" (source)", " (copy)", ZoneOffset.UTC))
                .isEqualTo("mtime 1970-01-01 00:00:00.000000001 (source) | 1970-01-01 00:00:00.000000002 (copy)");
    }
}
