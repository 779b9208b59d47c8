// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** {@code treehaul manifest}: its files, its lines and its exit codes. */
class ManifestCommandTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @AfterEach
    void remove() {
        directory.close();
    }

    @Test
    void aManifestInItsTreeIsCheckedByBothPrograms() throws Exception {
        cli.sh("mkdir -p t/d; printf 1 > t/d/f; printf 2 > 't/a b'").expect(0);
        assertThat(cli.run("manifest", "-o", "t/sums", "t").expect(0).err()).contains("2 files, 2 bytes by sha256");
        cli.sh("test ! -e t/sums.part && cd t && sha256sum --check --strict --status sums").expect(0);
        assertThat(cli.run("manifest", "--check", "t/sums", "t").expect(0).err())
                .contains("no differences; read 2 files");

        cli.sh("printf 3 > t/d/f; rm 't/a b'; touch t/new").expect(0);
        Run run = cli.run("manifest", "--check", "t/sums", "t").expect(1);
        assertThat(run.out()).isEqualTo("a b: missing\nd/f: content differs\nnew: not in the manifest\n");
        assertThat(run.err()).contains("3 differences (missing 1, content 1, extra 1)");
    }

    @Test
    void aCheckNeedsItsTree() throws Exception {
        cli.sh("printf 1 > f; sha256sum f > sums").expect(0);
        assertThat(cli.run("manifest", "--check", "sums").expect(2).err())
                .contains("--check sums needs the TREE to compare with it; '.' is the working directory");
        cli.run("manifest", "--check", "sums", ".").expect(0);
    }

    @Test
    void aMissingDirectoryForTemporaryFilesIsNamed() throws Exception {
        cli.sh("mkdir t").expect(0);
        assertThat(cli.sh("TMPDIR=none $T manifest t").expect(2).err()).contains("none/treehaul-manifest-",
                ": No such file or directory (ENOENT); set TMPDIR to a directory");
    }

    @Test
    void anUnreadableTreeIsNotReportedAsEqual() throws Exception {
        cli.sh("mkdir t; printf 1 > t/f; sha256sum t/f | sed s,t/,, > sums").expect(0);
        assertThat(cli.run("manifest", "--check", "sums", "nothing").expect(2).err())
                .contains("check incomplete: no differences found; 1 file could not be checked");
        cli.run("manifest", "-o", "new", "nothing").expect(2);
        assertThat(directory.path().resolve("new")).doesNotExist();
        assertThat(cli.run("manifest", "-o", "none/new", "t").expect(2).err()).contains("-o none/new: ");
    }
}
