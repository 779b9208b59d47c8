// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;

class ServerNamesTest {

    /** A file with these servers. */
    private record File(List<String> servers) implements EntryValues<RuntimeException> {

        @Override
        public @Nullable ByteString text(FileField field) {
            return ServerNames.value(servers);
        }

        @Override
        public @Nullable Long number(FileField field) {
            throw new IllegalArgumentException();
        }
    }

    private static FileQuery parse(String condition) {
        return FileQuery.parse(List.of(ByteString.of(condition)));
    }

    private static boolean holds(String condition, String... servers) {
        return parse(condition).matches(new File(List.of(servers)));
    }

    @Test
    void aConditionHoldsIfItHoldsForOneOfTheServers() {
        assertThat(holds("server=n2", "n1", "n2", "n3")).isTrue();
        assertThat(holds("server=n2", "n1", "n22")).isFalse();
        assertThat(holds("server=n2,n3", "n3")).isTrue();
        assertThat(holds("server=n*", "a", "n1")).isTrue();
        assertThat(holds("server=*1", "n12", "n1")).isTrue();
        assertThat(holds("server=*1", "n12", "n13")).isFalse();
        assertThat(holds("server=n?", "n12", "n1")).isTrue();
        assertThat(holds("server=n?", "n12", "n")).isFalse();
        assertThat(holds("server=n[!1]", "n1", "n")).isFalse();
        assertThat(holds("server^=rack1-", "rack2-a", "rack1-b")).isTrue();
        assertThat(holds("server~=N1", "n1")).isTrue();
        assertThat(holds("server=*", "n1")).isTrue();
    }

    @Test
    void aNegatedConditionHoldsIfItHoldsForNone() {
        assertThat(holds("server!=n2", "n1", "n2")).isFalse();
        assertThat(holds("server!=n2", "n1", "n22")).isTrue();
        assertThat(holds("server!=n2")).isTrue();
    }

    @Test
    void aFileMayHaveNoServers() {
        assertThat(holds("server=")).isTrue();
        assertThat(holds("server=", "n1")).isFalse();
        assertThat(holds("server=*")).isFalse();
        assertThat(holds("server!=", "n1")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"server=n2", "server=n2,n3,", "server=n*", "server=*1", "server=*1*", "server=n?", "server=?",
                    "server=??", "server=*?", "server=?*", "server=[ab]*", "server=*[ab]", "server=[!ab]",
                    "server=n[0-9][0-9].site", "server!=n1", "server~=n1", "server=*", "server=", "server=\\\\*"})
    void printedConditionsMeanTheSame(String condition) {
        FileQuery query = parse(condition);
        List<String> printed = query.conditions();
        assertThat(printed).hasSize(1);
        assertThat(parse(printed.getFirst())).as(printed.getFirst()).isEqualTo(query);
        assertThat(printed.getFirst()).isEqualTo(condition);
    }

    @Test
    void aPrefixIsPrintedAsAPattern() {
        assertThat(parse("server^=n1").conditions()).containsExactly("server=n1*");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"server=a*b|a '*' can only be at the beginning and at the end",
                    "server=a\\,b|no name of a server contains a ','", "server=a[,]|no name of a server contains a ','",
                    "server=a[+-.]|no name of a server contains a ','", "server>=a|server"})
    void patternsThatWouldSpanTwoNamesAreRefused(String condition, String problem) {
        assertThatThrownBy(() -> parse(condition)).isInstanceOf(ConditionException.class).hasMessageContaining(problem);
    }

    // The condition on the whole value holds exactly if the same condition on names holds for one of them.
    @Test
    void patternsMatchTheWholeValueAsTheyMatchNames() {
        Random random = new Random(9);
        int matches = 0;
        for (int i = 0; i < 20_000; i++) {
            List<String> servers = new ArrayList<>();
            for (int count = random.nextInt(4); count > 0; count--) {
                servers.add(word(random, "ab.-", 1 + random.nextInt(3)));
            }
            String pattern = (random.nextBoolean() ? "*" : "") + word(random, "ab?", 1 + random.nextInt(3))
                    + (random.nextBoolean() ? "*" : "");
            List<TextCondition> ofNames = parse("name=" + pattern).texts().getOrDefault(FileField.NAME, List.of());
            assertThat(ofNames).hasSize(1);
            boolean expected = servers.stream().anyMatch(server -> ofNames.getFirst().matches(ByteString.of(server)));
            assertThat(holds("server=" + pattern, servers.toArray(String[]::new))).as("%s of %s", pattern, servers)
                    .isEqualTo(expected);
            matches += expected ? 1 : 0;
        }
        assertThat(matches).isBetween(2_000, 18_000);
    }

    private static String word(Random random, String letters, int length) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append(letters.charAt(random.nextInt(letters.length())));
        }
        return word.toString();
    }

    @Test
    void theValueIsPrintedAsNames() {
        ByteString value = ServerNames.value(List.of("n1", "n2"));
        assertThat(value).isEqualTo(ByteString.of(",n1,n2,"));
        assertThat(ServerNames.of(value)).containsExactly("n1", "n2");
        assertThat(ServerNames.text(ByteString.of(",n1,n2,"))).isEqualTo("n1,n2");
        assertThat(ServerNames.value(List.of())).isNull();
        assertThat(ServerNames.of(null)).isEmpty();
        // Another program may have written the tuple.
        assertThat(ServerNames.text(ByteString.of(","))).isEmpty();
        assertThat(ServerNames.text(ByteString.of("n1"))).isEqualTo("n1");
    }
}
