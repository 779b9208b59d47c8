// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModeChangeTest {

    private static int octal(String text) {
        return Integer.parseInt(text, 8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"644|0777|0644", "0|7777|0", "04755|0|4755", "u+x|0644|0744", "go=|0777|0700",
                    "u+rwX,g-w,o=|0664|0640", "u+X|0644|0644", "u+X|0654|0754", "+t|0755|1755", "u+s,g+s|0755|6755",
                    "=|4777|0", "g=u|0751|0771", "o=g-x|0751|0754", "a+w|0444|0666", "+w|0444|0644", "-w|0666|0466",
                    "=rw|0777|0644", "u=rw,o=u|0|0606", "+0070|0400|0470", "-7000|7777|0777", "=0640|0777|0640",
                    "ug+rw-x|0111|0661", "o+t|0|1000", "u+t|0|0", "g+s|0|2000"})
    void theModeOfAFileIsChanged(String expression, String before, String after) {
        assertThat(ModeChange.parse(expression, 022).apply(octal(before), false)).isEqualTo(octal(after));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"755|2700|2755", "0755|6700|6755", "00755|6700|0755", "2755|0|2755", "u+X|0600|0700",
                    "=755|6700|0755", "a=rx|2700|2555", "g-s|2755|0755", "u=rwxs|0|4700", "=|6777|6000",
                    "-6000|6755|0755"})
    void setIdBitsOfADirectoryStayUnlessTheyAreNamed(String expression, String before, String after) {
        assertThat(ModeChange.parse(expression, 022).apply(octal(before), true)).isEqualTo(octal(after));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "8", "10000", "u", "u+q", "+,", "u+r,", "rwx", "u+755", "+755x", "644 ", "a+ug", "u+ru",
                    "0x1", ",", "77777777777777777777", "u=é"})
    void otherTextIsRefusedWithTheRemedy(String expression) {
        assertThatThrownBy(() -> ModeChange.parse(expression, 0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("'" + expression + "' is not a mode: give an octal number");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"644|true", "u+rwX,go-w|true", "g=u|true", "u=g,g=o|false", "a-x,a+X|true", "g=o,o=g|true",
                    "u=g,g=u,o=u|true", "g+X,u-x|true", "o=g,g=u|false"})
    void aChangeIsRepeatableIfASecondOneChangesNothing(String expression, boolean isRepeatable) {
        assertThat(ModeChange.parse(expression, 022).isRepeatable()).isEqualTo(isRepeatable);
    }

    @Test
    void theModeOfAnotherFileReplacesAllBits() {
        assertThat(ModeChange.to(0750).apply(07007, true)).isEqualTo(0750);
        assertThat(ModeChange.to(06750).apply(0, true)).isEqualTo(06750);
        assertThat(ModeChange.to(01777).apply(06000, false)).isEqualTo(01777);
    }

    @Test
    void aUmaskOutOfItsRangeIsRefused() {
        assertThatThrownBy(() -> ModeChange.parse("644", 01000)).hasMessageContaining("umask");
    }
}
