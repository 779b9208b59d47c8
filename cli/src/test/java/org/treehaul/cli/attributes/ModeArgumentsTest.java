// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.attributes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModeArgumentsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"chmod -w f | chmod --mode=-w f", "chmod -R -rwx f | chmod -R --mode=-rwx f",
                    "chmod --queue -t60 -x f | chmod --queue -t60 --mode=-x f",
                    "chmod --queue=-t60 600 f | chmod --queue=-t60 600 f", "chmod --pre -x f | chmod --pre -x f",
                    "chmod -- -w f | chmod -- -w f"})
    void aModeBecomesAValueAndTheValueOfAnOptionStays(String given, String read) {
        assertThat(ModeArguments.asOptions(new ChmodCommand().spec, given.split(" ", -1)))
                .containsExactly(read.split(" ", -1));
    }
}
