// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Model.CommandSpec;

class AbbreviationsTest {

    private final CommandSpec command = CommandSpec.create().name("c").addOption(Options.flag(value -> {
    }, "-r", "--recursive").build()).addOption(Options.flag(value -> {
    }, "--remove").build()).addOption(Options.flag(value -> {
    }, "--removed").build()).addOption(Options.flag(value -> {
    }, "--interactive").build()).addOption(Options.flag(value -> {
    }, "--in-place").build()).addOption(Options.value(String.class, value -> {
    }, "-t", "--target").build()).addOption(Options.attached(String.class, "x", value -> {
    }, "--kept").build()).addOption(Options.flag(value -> {
    }, "--hidden").hidden(true).build());

    private String expand(String line) {
        String[] args = ("c " + line).split(" ");
        return String.join(" ", Abbreviations.expand(command, args, Set.of("--interactive", "--recursive")))
                .substring(2);
    }

    @ParameterizedTest
    @CsvSource({"--rec,--recursive", "--remove,--remove", "--removed,--removed", "--i,--interactive",
            "--in-,--in-place", "--tar=--rec,--target=--rec", "--tar --rec a,--target --rec a",
            "--ke --rec,--kept --recursive", "-t --rec,-t --rec", "-rt --rec,-rt --rec", "-tr --rec,-tr --recursive",
            "-r --rec,-r --recursive", "-- --rec,-- --rec", "a --rec,a --recursive", "--hid,--hid", "--odd,--odd",
            "--re,--recursive", "-,-"})
    void aPrefixOfOneOptionBecomesThatOption(String given, String expected) {
        assertThat(expand(given)).isEqualTo(expected);
    }

    @Test
    void aPrefixOfSeveralOptionsIsRefusedWithAllOfThem() {
        assertThatThrownBy(() -> expand("--rem"))
                .hasMessage("option '--rem' is ambiguous; possibilities: '--remove' '--removed'");
    }

    @Test
    void aPrefixOfOneWordBecomesThatWord() {
        List<String> words = List.of("auto", "always", "acl");
        assertThat(Abbreviations.word("--w", "al", words, words)).isEqualTo("always");
        assertThat(Abbreviations.word("--w", "ac", words, List.of("auto"))).isEqualTo("acl");
        assertThat(Abbreviations.word("--w", "a", words, List.of("auto"))).isEqualTo("auto");
        assertThatThrownBy(() -> Abbreviations.word("--w", "a", words, words))
                .hasMessage("--w: 'a' is ambiguous; possibilities: 'auto' 'always' 'acl'");
        assertThatThrownBy(() -> Abbreviations.word("--w", "", words, words))
                .hasMessage("--w takes auto, always or acl, not ''");
    }
}
