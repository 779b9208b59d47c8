// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

class ExactArgumentsTest {

    private static byte[] commandLine(String... arguments) {
        return (String.join("\0", arguments) + "\0").getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String[] args(String... arguments) {
        return arguments;
    }

    @Test
    void theLastArgumentsOfTheCommandLineAreTaken() {
        assertThat(ExactArguments.of(args("cp", "a", "b"), commandLine("java", "-jar", "x.jar", "cp", "a", "b")))
                .containsExactly("cp", "a", "b");
    }

    @Test
    void bytesThatTheLocaleDoesNotKnowAreKept() {
        byte[] exact = commandLine("java", "cp", "\u00e4\u00ff\n");
        assertThat(ExactArguments.of(args("cp", "\ufffd\ufffd\n"), exact)).containsExactly("cp", "\u00e4\u00ff\n");
        assertThat(ExactArguments.of(args("cp", "??\n"), exact)).containsExactly("cp", "\u00e4\u00ff\n");
        assertThat(ExactArguments.bytes("\u00e4\u00ff\n")).containsExactly(0xe4, 0xff, '\n');
    }

    @Test
    void emptyArgumentsAreKept() {
        assertThat(ExactArguments.of(args("", "cp", ""), commandLine("java", "", "cp", ""))).containsExactly("", "cp",
                "");
    }

    @Test
    void noArgumentsAreNone() {
        assertThat(ExactArguments.of(args(), commandLine("java"))).isEmpty();
    }

    @Test
    void argumentsFromAFileOfJavaAreTakenAsTextWhenTheyAreAscii() {
        assertThat(ExactArguments.of(args("cp", "a", "b"), commandLine("java", "@file"))).containsExactly("cp", "a",
                "b");
        assertThat(ExactArguments.of(args("cp", "a"), commandLine("java", "-jar", "@file"))).containsExactly("cp", "a");
        assertThat(ExactArguments.of(args("cp", "a"), null)).containsExactly("cp", "a");
    }

    @Test
    void argumentsFromAFileOfJavaThatAreNotAsciiAreRefused() {
        assertThatThrownBy(() -> ExactArguments.of(args("cp", "\u00e4"), commandLine("java", "@file")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--files-from");
    }

    @Test
    void aCommandLineThatWasOverwrittenIsNotTaken() {
        byte[] unended = "java\0cp\0a".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(ExactArguments.of(args("cp", "a"), unended)).containsExactly("cp", "a");
    }

    @Test
    void textWithArgumentsIsMadePrintable() {
        assertThat(ExactArguments.printable("no '\u00ff\n\u001b[2J'")).isEqualTo("no '\\xff\\n\\x1b[2J'");
    }
}
