// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars that jobs start are kept as long as a transfer may start them. */
class KeptJarTest {

    @TempDir
    private Path state;

    private Path kept(String content) throws Exception {
        return KeptJar.keep(state, Files.writeString(state.resolve("program.jar"), content));
    }

    @Test
    void thoseThatNoTransferStartsAreSweptUnlessTheyWereKeptJustNow() throws Exception {
        Path used = kept("used");
        Path old = kept("old");
        Path young = kept("young");
        Path transfer = Files.createDirectory(state.resolve("transfer"));
        new Launch(Optional.empty(), used, List.of(), List.of(), List.of(), List.of()).write(transfer);
        FileTime before = FileTime.from(Instant.now().minus(Duration.ofDays(10)));
        Files.setLastModifiedTime(used, before);
        Files.setLastModifiedTime(old, before);

        KeptJar.sweep(state, List.of(transfer, state.resolve("has-none")));

        assertThat(used).exists();
        assertThat(young).exists();
        assertThat(old).doesNotExist();
        assertThat(kept("used")).isEqualTo(used);
        assertThat(Files.getLastModifiedTime(used)).as("wanted again").isGreaterThan(before);
    }
}
