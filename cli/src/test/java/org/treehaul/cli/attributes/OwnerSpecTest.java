// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.attributes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalLong;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.Accounts;

class OwnerSpecTest {

    /** Knows 7, user 1000 with login group 100, and the group physics. */
    private static final Accounts KNOWN = new Accounts() {
        @Override
        public OptionalLong user(String name) {
            return name.equals("7") ? OptionalLong.of(1000) : OptionalLong.empty();
        }

        @Override
        public OptionalLong loginGroup(String user) {
            return user.equals("7") ? OptionalLong.of(100) : OptionalLong.empty();
        }

        @Override
        public OptionalLong group(String name) {
            return name.equals("physics") ? OptionalLong.of(200) : OptionalLong.empty();
        }

        @Override
        public String userName(long number) {
            throw new AssertionError();
        }

        @Override
        public String groupName(long number) {
            throw new AssertionError();
        }
    };

    private static String text(OptionalLong number) {
        return number.isPresent() ? Long.toString(number.getAsLong()) : "";
    }

    @ParameterizedTest
    @CsvSource({"7,1000|", "+7,7|", "8,8|", "7:physics,1000|200", "7:,1000|100", ":physics,|200", ":9,|9", ":,|",
            "'',|", "+4294967294:+0,4294967294|0", "8:+5,8|5"})
    void ownersAndGroupsAreRead(String given, String numbers) {
        OwnerSpec spec = OwnerSpec.parse(given, KNOWN);
        assertThat(text(spec.user()) + "|" + text(spec.group())).isEqualTo(numbers);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nosuch", "7:nosuch", "+", "-1", "4294967295", "8:", "+7:", "7:4294967295", "7.physics", "1x",
                    "99999999999999999999"})
    void textThatNamesNoAccountIsRefusedWithTheRemedy(String given) {
        assertThatThrownBy(() -> OwnerSpec.parse(given, KNOWN)).isInstanceOf(IllegalArgumentException.class)
                .message()
                .containsAnyOf("'getent passwd' lists", "'getent group' lists", "name the group after the colon",
                        "separated by a colon: '7:physics'");
    }
}
