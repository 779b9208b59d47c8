// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.ShellWord;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.testing.TestDirectory;

/** Commands that messages print mean the same when they are pasted into bash. */
class PastedCommandTest {

    @AutoClose
    private final TestDirectory directory = TestDirectory.make();

    @ParameterizedTest
    @ValueSource(
            strings = {"plain", "it's", "a b", "*", "$x", "a\\b", "a\\'b", "a\nb", "a\tb'c\\d", "\377\376ab",
                    "\303\266", "\342\200\2500", "\001f", "", "~", "!x", "--a=b", "a\\nb"})
    void bashReadsAWordAsItWas(String latin) throws Exception {
        byte[] word = latin.getBytes(StandardCharsets.ISO_8859_1);
        Process bash = new ProcessBuilder("bash").redirectErrorStream(true).start();
        try (OutputStream in = bash.getOutputStream()) {
            in.write(("printf %s " + ShellWord.of(ByteString.of(word))).getBytes(StandardCharsets.UTF_8));
        }
        assertThat(bash.getInputStream().readAllBytes()).isEqualTo(word);
    }

    @Test
    void statusPrintsACommandThatCopiesTheSame() throws Exception {
        Cli cli = Cli.withJobs(directory.path());
        cli.sh("mkdir \"it's\"; echo x > \"it's/f\"").expect(0);
        cli.warmly("$T cp -a --state-dir=state --jobs=1 --scheduler=local --wait \"it's\" \"o'ut\"").expect(0);
        String status = cli.warmly("$T status --state-dir=state last").expect(0).out();
        assertThat(status)
                .endsWith("cp -a --state-dir=state --jobs=1 --scheduler=local --wait 'it'\\''s' 'o'\\''ut'\n");
    }

    @Test
    void aMissingDirectoryIsCreatedByThePrintedCommand() throws Exception {
        Cli cli = Cli.withJobs(directory.path());
        cli.sh("echo x > f").expect(0);
        String err = cli.warmly("$T cp f \"no'ne/x\"").err();
        assertThat(err).contains("mkdir -p 'no'\\''ne'\n");
    }
}
