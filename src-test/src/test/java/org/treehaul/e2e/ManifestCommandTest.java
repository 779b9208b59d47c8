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
        assertThat(cli.runWarmly("manifest", "-o", "t/sums", "t").expect(0).err())
                .contains("2 files, 2 bytes by sha256");
        cli.sh("test ! -e t/sums.part && cd t && sha256sum --check --strict --status sums").expect(0);
        assertThat(cli.runWarmly("manifest", "--check", "t/sums", "t").expect(0).err())
                .contains("no differences; read 2 files");

        cli.sh("printf 3 > t/d/f; rm 't/a b'; touch t/new").expect(0);
        Run run = cli.runWarmly("manifest", "--check", "t/sums", "t").expect(1);
        assertThat(run.out()).isEqualTo("a b: missing\nd/f: content differs\nnew: not in the manifest\n");
        assertThat(run.err()).contains("3 differences (missing 1, content 1, extra 1)");
    }

    @Test
    void aCopyWritesTheManifestOfWhatIsAtItsDestination() throws Exception {
        cli.sh("mkdir -p t/d; printf 1 > t/d/f; printf 2 > 't/a b'; ln t/d/f t/link").expect(0);
        assertThat(cli.runWarmly("cp", "-aT", "--manifest", "sums", "t", "c").expect(0).err())
                .contains("copied 5 entries", "3 files, 2 bytes by sha256");
        cli.warmly("cd c && sha256sum --check --strict --status ../sums && $T manifest | cmp - ../sums").expect(0);
        cli.warmly("mkdir e && $T cp -a --manifest sums2 t e && cmp sums sums2").expect(0);

        // A failed entry has no line, and the exit code remains that of the copy.
        cli.sh("mkdir 'c/a b.new' && rm 'c/a b' && mv 'c/a b.new' 'c/a b'").expect(0);
        cli.runWarmly("cp", "-aT", "--manifest", "sums3", "t", "c").expect(23);
        assertThat(cli.sh("cat sums3").expect(0).out()).contains("d/f").doesNotContain("a b");

        assertThat(cli.runWarmly("cp", "-a", "--manifest", "no", "t", "c", "e").expect(2).err())
                .contains("for one SOURCE");
        assertThat(cli.runWarmly("cp", "-aT", "--dry-run", "--manifest", "no", "t", "c").expect(2).err())
                .contains("--dry-run");
        assertThat(cli.runWarmly("cp", "-aT", "--jobs", "2", "--manifest", "no", "t", "c").expect(2).err())
                .contains("'treehaul manifest -o FILE DEST'");
        assertThat(directory.path().resolve("no")).doesNotExist();
        assertThat(cli.runWarmly("cp", "-aT", "--manifest", "none/sums", "t/d", "g").expect(2).err())
                .contains("copied 2 entries", "--manifest none/sums: ");
    }

    @Test
    void aSymbolicLinkToTheFileStays() throws Exception {
        cli.sh("mkdir t; printf 1 > t/f; echo old > real; ln -s real link; ln -s fresh dangling; mkdir d; ln -s d/m far")
                .expect(0);
        cli.warmly("$T manifest -o link t && $T manifest -o dangling t && $T cp -aT --manifest far --metrics link t c")
                .expect(0);
        assertThat(cli.sh("readlink link dangling far").expect(0).out()).isEqualTo("real\nfresh\nd/m\n");
        assertThat(cli.sh("cat fresh; cat d/m").expect(0).out().lines()).hasSize(2)
                .allMatch(line -> line.endsWith("  f"));
        assertThat(cli.sh("cat real").expect(0).out()).contains("treehaul_").doesNotContain("old", "  f\n");
        assertThat(cli.sh("ls *.part d/*.part").out()).isEmpty();
    }

    // More lines than a pipe holds.
    @Test
    void aManifestWhoseReaderHasGoneIsNotComplete() throws Exception {
        cli.sh("mkdir S; cd S; seq -f 'a-name-of-thirty-two-characters-%.0f' 1000 | xargs touch").expect(0);
        Process manifest = cli.start("manifest", "S");
        manifest.getInputStream().close();
        String err = manifest.errorReader().readAllAsString();
        assertThat(manifest.waitFor()).as(err).isEqualTo(20);
        assertThat(err).isEmpty();
    }

    @Test
    void aCheckNeedsItsTree() throws Exception {
        cli.sh("printf 1 > f; sha256sum f > sums").expect(0);
        assertThat(cli.runWarmly("manifest", "--check", "sums").expect(2).err())
                .contains("--check sums needs the TREE to compare with it; '.' is the working directory");
        cli.runWarmly("manifest", "--check", "sums", ".").expect(0);
    }

    @Test
    void aMissingDirectoryForTemporaryFilesIsNamed() throws Exception {
        cli.sh("mkdir t").expect(0);
        assertThat(cli.warmly("TMPDIR=none $T manifest t").expect(2).err()).contains("none/treehaul-manifest-",
                ": No such file or directory (ENOENT); set TMPDIR to a directory with room");
    }

    @Test
    void anUnreadableTreeIsNotReportedAsEqual() throws Exception {
        cli.sh("mkdir t; printf 1 > t/f; sha256sum t/f | sed s,t/,, > sums").expect(0);
        assertThat(cli.runWarmly("manifest", "--check", "sums", "nothing").expect(2).err())
                .contains("check incomplete: no differences found; 1 file could not be checked");
        cli.runWarmly("manifest", "-o", "new", "nothing").expect(2);
        assertThat(directory.path().resolve("new")).doesNotExist();
        assertThat(cli.runWarmly("manifest", "-o", "none/new", "t").expect(2).err()).contains("-o none/new: ");
    }
}
