// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.entry.ByteString;

class OperandOrderTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"a b c|a b c", "d d/e f|d;d/e f", "d/e d|d/e;d", "d ./d//e/|d;./d//e/", "d d|d;d",
                    "d d2 d/e|d d2;d/e", "a ../b c|a;../b;c", "a /a b|a;/a;b", ". a|.;a", "/x/y / /x|/x/y;/;/x",
                    "d/a d/b d|d/a d/b;d"})
    void operandsInsideOthersKeepTheirOrder(String operands, String rounds) {
        assertThat(OperandOrder.rounds(List.of(operands.split(" ")), ByteString::of)
                .stream()
                .map(round -> String.join(" ", round))).containsExactly(rounds.split(";"));
    }
}
