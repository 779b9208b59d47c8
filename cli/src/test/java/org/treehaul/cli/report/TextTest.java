// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {

    @ParameterizedTest
    @CsvSource({"0,'0'", "999,'999'", "1000,'1,000'", "1234567,'1,234,567'", "-1234,'-1,234'", "-123,'-123'"})
    void countsHaveCommas(long number, String text) {
        assertThat(Text.count(number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0,0 entries", "1,1 entry", "2,2 entries", "1001,'1,001 entries'"})
    void nounsAgreeWithTheirNumbers(long number, String text) {
        assertThat(Text.count(number, "entry", "entries")).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0,0 B", "1023,'1,023 B'", "1024,1.0 KiB", "1536,1.5 KiB", "1048575,1.0 MiB",
            "9223372036854775807,8.0 EiB"})
    void bytesHaveAUnit(long number, String text) {
        assertThat(Text.bytes(number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0,0 s", "7,7 s", "60,1 min", "754,12 min 34 s", "11220,3 h 7 min", "10800,3 h", "184020,2 d 3 h",
            "172800,2 d"})
    void durationsGrowWithTheirUnits(long seconds, String text) {
        assertThat(Text.duration(seconds)).isEqualTo(text);
    }

    @Test
    void durationsAreRounded() {
        assertThat(Text.duration(Duration.ofMillis(3900))).isEqualTo("4 s");
        assertThat(Text.duration(Duration.ofMillis(3499))).isEqualTo("3 s");
        assertThat(Text.duration(Duration.ofMillis(59_700))).isEqualTo("1 min");
    }
}
