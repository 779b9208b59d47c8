// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;

/** Files were moved to an archive and replaced by links to it; then the copy to the archive runs again. */
class LinkOverItsFileTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void move() throws Exception {
        cli.sh("""
                mkdir -p run/deep archive/run/deep; echo results > archive/run/deep/out; echo new > run/new
                ln -s $PWD/archive/run/deep/out run/deep/out; touch -d 2001-01-01 run/deep archive/run/deep
                """).expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "--ranks 2", "--ranks 3 --distribution pct",
                    "--scheduler local --jobs 2 --wait --state-dir state"})
    void theFilesAreKeptAndTheCopyFails(String how) throws Exception {
        cli.warmly("$T cp -a run archive/ " + how).expect(23);
        assertThat(directory.resolve("archive/run/deep/out")).isRegularFile().hasContent("results\n");
        assertThat(directory.resolve("archive/run/new")).exists();
        if (how.contains("state")) {
            assertThat(cli.warmly("$T errors last --state-dir state").expect(1).out())
                    .contains("archive/run/deep/out: copy a symbolic link onto the file it leads to");
        }
    }

    @Test
    void filesLostByAnotherCopierAreFoundByCmpAndVerify() throws Exception {
        Path lost = directory.resolve("archive/run/deep/out");
        Path source = Files.createDirectories(directory.resolve("other"));
        Files.createSymbolicLink(source.resolve("loop"), Path.of("loop"));
        cli.warmly("$T cp -aT other copy && $T cmp other copy").expect(0);

        String state = " --state-dir state";
        cli.warmly("mv archive moved; mkdir archive; $T cp -a run archive --scheduler local --wait" + state).expect(0);
        assertThat(lost).isSymbolicLink();
        assertThat(cli.warmly("$T cmp --ignore times run archive/run").expect(1).out()).contains("deep/out: target ",
                "(itself)");
        cli.warmly("$T verify last --wait" + state).expect(23);
        assertThat(cli.warmly("$T errors last" + state).expect(1).out()).contains("deep/out: ");
    }
}
