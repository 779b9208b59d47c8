// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {

    @ParameterizedTest
    @CsvSource({"0,0", "4096,4096", "1B,1", "64M,67108864", "64m,67108864", "1.5TiB,1649267441664", "10MB,10000000",
            "1kB,1000", "0.5K,512", "7EiB,8070450532247928832", "9223372036854775807,9223372036854775807",
            "64mb,64000000", "64Mb,64000000", "64mib,67108864", "64Mi,67108864", "64 M,67108864", "64 b,64",
            "1e6,1000000", "00000000000000000000001K,1024", "999999999999999999,999999999999999999",
            "8388607T,9223370937343148032", "1.5E9,1500000000", "1E,1152921504606846976", ".5k,512", "2.K,2048"})
    void aSizeIsReadAsCoreutilsAndRsyncDo(String text, long bytes) {
        assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "M", "x", "1X", "-1", "1.2.3", "0.1", "8EiB", "1e-3", "64  M", "1e99", "1ib", "1MBit", " 1",
                    "1M ", "\u0661", "NaN", "8388608T", "99999999999999999999999"})
    void aBadSizeIsRefusedWithTheRemedy(String text) {
        assertThatThrownBy(() -> ByteSize.parse(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining("64M");
    }
}
