// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MpjRunTest {

    private static String[] words(String text) {
        return text.split(" ", -1);
    }

    @Test
    void ranksInOneJvmAreMadeByTheFirst() {
        assertThat(MpjRun.isBehind(words("0 4 smpdev walk -L /data"))).isTrue();
        MpjRun run = MpjRun.of(words("0 4 smpdev walk -L /data"));
        assertThat(run.isFirst()).isTrue();
        assertThat(run.refusal()).isEmpty();
        assertThat(run.arguments()).containsExactly(words("walk --ranks=4 --transport=mpj -L /data"));
        assertThat(MpjRun.of(words("3 4 smpdev walk")).isFirst()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0 4 smpdev", "0 4 smpdev --version", "0 4 smpdev walk --ranks 4", "0 4 smpdev walk --ranks=4",
                    "0 4 smpdev walk --meet m", "1 #Number niodev walk", "0 #Number hybdev walk"})
    void commandsThatMpjrunCannotStartAreRefused(String arguments) {
        assertThat(MpjRun.isBehind(words(arguments))).isTrue();
        assertThat(MpjRun.of(words(arguments)).refusal()).startsWith("mpjrun ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"walk 4 smpdev", "", "0 4", "0 4 walk", "walk --ranks 4 niodev"})
    void otherArgumentsAreTheUsers(String arguments) {
        assertThat(MpjRun.isBehind(words(arguments))).isFalse();
    }
}
