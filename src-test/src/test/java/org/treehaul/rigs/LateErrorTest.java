// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.rigs.Transfers.name;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.programs.Programs;

/**
 * A disk that accepts data and loses them later: an ext4 of 64 MiB with its image on a tmpfs of 8. Writes go to the
 * cache and succeed; only fsync reports the error.
 */
@Tag("rig")
class LateErrorTest {

    private TestDirectory directory;
    private Mount under;
    private Mount mount;
    private Path source;

    @BeforeEach
    void makeDisk() throws Exception {
        under = Mount.tmpfs("size=8m");
        mount = Mount.ext4In(under, 64);
        directory = TestDirectory.onTmpfs();
        source = directory.directory("S");
    }

    @AfterEach
    void removeDisk() {
        if (mount != null) {
            mount.close();
        }
        if (under != null) {
            under.close();
        }
        if (directory != null) {
            directory.close();
        }
    }

    @Test
    void errorsOfFsyncAreReportedBeforeAFileHasItsName() throws Exception {
        Transfers.tree(source, writer -> writer.file(name("large"), 20_000_000, 1).file(name("small"), 100, 2));
        Path target = mount.resolve("T");

        Copies.Ran ran = Transfers.copy(Copies.archive().fsync(true).build(), source, target);

        assertThat(ran.failures()).isNotEmpty().allMatch(f -> f.operation().equals("fsync"));
        assertThat(ran.failures()).anyMatch(f -> f.path().toString().equals("large"));
        assertThat(target.resolve("large")).doesNotExist();
        Transfers.assertNoTemporaries(target);
    }

    @Test
    void existingFilesStayIfTheNewDataAreLost() throws Exception {
        Path target = Transfers.tree(mount.resolve("T"), writer -> writer.file(name("large"), 5000, 3));
        Programs.run("sync", "-f", mount.path());
        byte[] old = Files.readAllBytes(target.resolve("large"));
        Transfers.tree(source, writer -> writer.file(name("large"), 20_000_000, 1));

        Copies.Ran ran = Transfers.copy(source, target);

        assertThat(ran.failures()).hasSize(1);
        assertThat(ran.failures().getFirst().operation()).isEqualTo("fsync");
        assertThat(target.resolve("large")).hasBinaryContent(old);
    }

    @Test
    void dataThatWereLostAreFoundByReadingBack() throws Exception {
        Transfers.tree(source, writer -> writer.file(name("large"), 20_000_000, 1));
        Path target = mount.resolve("T");

        Copies.Ran ran = Transfers.copy(Copies.archive().verify(CopyOptions.Verify.XXH3).build(), source, target);

        assertThat(ran.failures()).isNotEmpty();
        assertThat(ran.result().isSuccess()).isFalse();
        assertThat(target.resolve("large")).doesNotExist();
    }
}
