// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.entry.ByteString;

class FoldedNameTest {

    private static ByteString name(String text) {
        return ByteString.of(text);
    }

    @ParameterizedTest
    @CsvSource({"a,A", "README.txt,readme.TXT", "\u00c4rger,\u00e4rger", "\u00e4,a\u0308", "\u00c4,a\u0308",
            "stra\u00dfe,STRASSE", "\u03c2,\u03c3"})
    void namesThatAreAlikeFoldAlike(String one, String other) {
        assertThat(FoldedName.of(name(one))).isEqualTo(FoldedName.of(name(other)));
        assertThat(FoldedName.hash(name(one))).isEqualTo(FoldedName.hash(name(other)));
    }

    @ParameterizedTest
    @CsvSource({"a,b", "a,\u00e4", "a1,a2", "a@,a`", "[,{"})
    void otherNamesDoNot(String one, String other) {
        assertThat(FoldedName.of(name(one))).isNotEqualTo(FoldedName.of(name(other)));
        assertThat(FoldedName.hash(name(one))).isNotEqualTo(FoldedName.hash(name(other)));
    }

    @Test
    void onlyAsciiLettersOfInvalidTextHaveCase() {
        ByteString upper = ByteString.of(new byte[]{(byte) 0xff, 'A', (byte) 0xc4});
        ByteString lower = ByteString.of(new byte[]{(byte) 0xff, 'a', (byte) 0xc4});
        assertThat(FoldedName.of(upper)).isEqualTo(FoldedName.of(lower));
        assertThat(FoldedName.of(ByteString.of(new byte[]{(byte) 0xff, 'a', (byte) 0xe4})))
                .isNotEqualTo(FoldedName.of(lower));
        assertThat(FoldedName.inOtherCase(upper)).isEqualTo(lower);
    }

    @ParameterizedTest
    @CsvSource({"Name,name,true", "name,NAME,true", "1,,false", "\u00c4,\u00e4,false", "\u00e4,\u00c4,false",
            "\ud55c,,false"})
    void aNameWithCaseHasAnotherCase(String name, String other, boolean hasFoldedLetters) {
        assertThat(FoldedName.inOtherCase(name(name))).isEqualTo(other == null ? null : name(other));
        assertThat(FoldedName.hasFoldedLetters(name(name))).isEqualTo(hasFoldedLetters);
    }
}
