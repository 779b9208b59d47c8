// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.batch.Batches;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;

/** The verification of existing files that {@code -u} and {@code -n} keep. */
class KeptFileTest {

    private static final int CHUNK = 1 << 20;

    private Copies copies;

    @BeforeEach
    void make() {
        copies = Copies.onTmpfs();
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    private static CopyOptionsBuilder verifying(CopyOptions.Existing existing) {
        return archive().verify(CopyOptions.Verify.XXH3).existing(existing);
    }

    private static CopyOptionsBuilder update() {
        return verifying(CopyOptions.Existing.UPDATE);
    }

    @ParameterizedTest
    @CsvSource({"UPDATE,10,-u", "UPDATE,3000000,-u", "SKIP,10,-n", "SKIP,3000000,-n"})
    void oneThatLooksLikeTheCopyButDiffersIsReportedAndKept(CopyOptions.Existing existing, int size, String option)
            throws IOException {
        copies.with(writer -> writer.file(path("f"), size, 1).file(path("g"), size, 2));
        copies.copy(archive().build()).succeeds();
        copies.there(writer -> writer.damage(path("f"), size - 3));
        byte[] damaged = Files.readAllBytes(copies.at("f"));
        Copies.Ran ran = copies.copy(verifying(existing).build());
        assertThat(ran.failed())
                .containsExactly("CORRUPT f kept by " + option + "; a copy without " + option + " replaces it 0");
        assertThat(Files.readAllBytes(copies.at("f"))).isEqualTo(damaged);
        assertThat(ran.result().counts().skipped()).isEqualTo(2);
        copies.copy(archive().verify(CopyOptions.Verify.XXH3).build()).succeeds();
        copies.isCopied();
    }

    @Test
    void oneThatIsEqualIsReadOnBothSides() {
        copies.with(writer -> writer.file(path("d/f"), 1000, 1)
                .file(path("empty"), 0, 0)
                .sparse(path("sparse"), 40L * CHUNK, 0, 39L * CHUNK));
        copies.copy(archive().build()).succeeds();
        Copies.Ran ran = copies.copy(update().build()).succeeds();
        assertThat(ran.result().counts().skipped()).isEqualTo(3);
        assertThat(ran.result().counts().bytes()).isZero();
        assertThat(ran.result().counts().verifiedBytes()).isEqualTo(1000 + 40L * CHUNK);
        assertThat(ran.notices()).isEmpty();
    }

    @Test
    void allNamesOfADamagedFileAreReported() throws IOException {
        copies.with(writer -> writer.file(path("a"), 1000, 1).hardLink(path("a"), path("b")));
        copies.copy(archive().build()).succeeds();
        copies.there(writer -> writer.damage(path("a"), 5));
        String cause = "kept by -u; a copy without -u replaces it 0";
        assertThat(copies.copy(update().build()).failed()).containsExactly("CORRUPT a " + cause, "CORRUPT b " + cause);
    }

    @ParameterizedTest
    @EnumSource(value = CopyOptions.Existing.class, names = {"UPDATE", "SKIP"})
    void oneThatIsNoCopyIsCountedAsNotVerified(CopyOptions.Existing existing) {
        copies.with(writer -> writer.file(path("f"), 100, 1)
                .times(path("f"), new Timestamp(1000, 0))
                .file(path("g"), 100, 1)
                .times(path("g"), new Timestamp(1000, 0)))
                .there(writer -> writer.file(path("f"), 100, 2)
                        .times(path("f"), new Timestamp(2000, 0))
                        .file(path("g"), 99, 1)
                        .times(path("g"), new Timestamp(1000, 0)));
        Copies.Ran ran = copies.copy(verifying(existing).build()).succeeds();
        assertThat(ran.notices()).containsExactly("left alone without verification: 2 files that differ from the "
                + "source in size or time; 'treehaul cmp' compares source and copy");
        assertThat(ran.result().counts().verifiedBytes()).isZero();
    }

    @Test
    void withoutPreservedTimesANewerOneOfTheSameSizeIsCompared() throws IOException {
        copies.with(writer -> writer.file(path("f"), 100, 1).times(path("f"), new Timestamp(1000, 0)));
        CopyOptionsBuilder plain = CopyOptions.builder().recursive(true).threads(2);
        copies.copy(plain.build()).succeeds();
        CopyOptions update = plain.existing(CopyOptions.Existing.UPDATE).verify(CopyOptions.Verify.SHA256).build();
        assertThat(copies.copy(update).succeeds().result().counts().verifiedBytes()).isEqualTo(100);
        copies.there(writer -> writer.damage(path("f"), 50));
        assertThat(copies.copy(update).failed())
                .containsExactly("CORRUPT f kept by -u; a copy without -u replaces it 0");
    }

    @Test
    void anErrorWhileItIsReadBelongsToIt() {
        copies.with(writer -> writer.file(path("f"), 100, 1));
        copies.copy(archive().build()).succeeds();
        assertThat(copies.copy(update().build(), Fault.on(Call.PREAD).fails(Errno.EIO)).failed())
                .containsExactly("ERROR f read 5");
    }

    @Test
    void inABatchItIsSkippedOnlyAfterItWasCompared() throws IOException {
        copies.with(writer -> writer.file(path("a"), 100, 1).file(path("b"), 100, 2).file(path("large"), 3 * CHUNK, 3));
        copies.copy(archive().build()).succeeds();
        copies.there(writer -> writer.damage(path("a"), 5));
        copies.there(writer -> writer.damage(path("large"), 2L * CHUNK));
        Batches batches = Batches.of(copies, update().threads(1).build(), 1, 1, CHUNK);
        batches.copyAll(new Random(1));
        assertThat(batches.told.values()).containsExactlyInAnyOrder(
                List.of("failed CORRUPT kept by -u; a copy without -u replaces it 0 tries 1"), List.of("skipped"));
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("large", List.of("chunk skipped", "chunk skipped",
                "chunk CORRUPT kept by -u; a copy without -u replaces it 0")));
    }
}
