// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionsTest {

    private static final List<String> COMMANDS = List.of("cp", "rm", "cmp", "walk", "plan", "status", "resume",
            "cancel", "errors", "forget", "index", "query", "config", "completion");

    @ParameterizedTest
    @CsvSource({"walk,walk,0", "wlak,walk,1", "wal,walk,1", "wallk,walk,1", "welk,walk,1", "'',cp,2", "abc,xyz,3",
            "resmue,resume,1", "qeury,query,1"})
    void anErrorIsAnInsertedDeletedReplacedOrExchangedLetter(String a, String b, int distance) {
        assertThat(Suggestions.distance(a, b)).isEqualTo(distance);
        assertThat(Suggestions.distance(b, a)).isEqualTo(distance);
    }

    @ParameterizedTest
    @CsvSource({"wlak,walk", "statsu,status", "qeury,query", "compltion,completion", "dcp,cp", "cancle,cancel"})
    void nearNamesAreSuggested(String word, String command) {
        assertThat(Suggestions.near(word, COMMANDS)).contains(command);
    }

    @ParameterizedTest
    @CsvSource({"sync", "help", "copy", "version", "find", "check", "diff", "fanccel"})
    void farNamesAreNot(String word) {
        assertThat(Suggestions.near(word, COMMANDS)).isEmpty();
    }

    @Test
    void theNearestNameIsFirstAndAtMostThreeAreSuggested() {
        assertThat(Suggestions.near("--threads", List.of("--thread", "--treads", "--threads2", "--threads", "--x")))
                .containsExactly("--threads", "--thread", "--treads");
    }
}
