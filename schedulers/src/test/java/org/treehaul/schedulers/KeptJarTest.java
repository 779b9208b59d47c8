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
        Files.setLastModifiedTime(used.getParent(), before);
        Files.setLastModifiedTime(old.getParent(), before);

        KeptJar.sweep(state, List.of(transfer, state.resolve("has-none")));

        assertThat(used).exists();
        assertThat(young).exists();
        assertThat(old.getParent()).doesNotExist();
        assertThat(kept("used")).isEqualTo(used);
        assertThat(Files.getLastModifiedTime(used.getParent())).as("wanted again").isGreaterThan(before);
    }

    @Test
    void theCacheOfTheJarIsKeptBesideItAndBothHaveTheirTimes() throws Exception {
        Path jar = Files.writeString(state.resolve("program.jar"), "program");
        FileTime made = FileTime.from(Instant.parse("2026-01-02T03:04:05Z"));
        Files.setLastModifiedTime(jar, made);
        String name = "treehaul-" + System.getProperty("java.version") + ".aot";
        Path cache = Files.writeString(state.resolve(name), "cache");
        Files.setLastModifiedTime(cache, made);

        Path kept = KeptJar.keep(state, jar);

        assertThat(Files.getLastModifiedTime(kept)).isEqualTo(made);
        assertThat(kept.resolveSibling(name)).hasContent("cache");
        // The same program, built again; a job on another host may have both files open.
        Files.writeString(cache, "newer");
        FileTime later = FileTime.from(made.toInstant().plusSeconds(9));
        Files.setLastModifiedTime(jar, later);
        Files.setLastModifiedTime(cache, later);
        assertThat(KeptJar.keep(state, jar)).isEqualTo(kept);
        assertThat(kept.resolveSibling(name)).hasContent("cache");
        assertThat(Files.getLastModifiedTime(kept)).isEqualTo(made);
        Files.writeString(kept, "damaged");
        assertThat(KeptJar.keep(state, jar)).hasContent("program");
        assertThat(kept.resolveSibling(name)).as("made for the new time").hasContent("newer");
    }

    @Test
    void aCacheOfAnotherJarIsNotKept() throws Exception {
        Path jar = Files.writeString(state.resolve("program.jar"), "program");
        String name = "treehaul-" + System.getProperty("java.version") + ".aot";
        Path cache = Files.writeString(state.resolve(name), "cache");
        Instant made = Files.getLastModifiedTime(jar).toInstant();
        for (int seconds : List.of(-9, 9)) {
            Files.setLastModifiedTime(cache, FileTime.from(made.plusSeconds(seconds)));

            assertThat(KeptJar.keep(state, jar).resolveSibling(name)).doesNotExist();
        }
    }
}
