// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.HostileTree.Part;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.JavaCommand;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeWriter;

/** Copies by an ordinary user, and by a process with a low limit on open files: in processes of their own. */
class OtherProcessCopyTest {

    private static void open(Path directory) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void anOrdinaryUserPreservesPermittedAttributesAndTheOthersAreReportedOnce() throws IOException {
        Privilege.requireRoot("becomes another user");
        Installed.require("setpriv");
        try (Copies copies = Copies.onTmpfs()) {
            open(copies.directory().path());
            copies.with(writer -> {
                writer.file(path("own"), 100, 1)
                        .owner(path("own"), CopyProcess.USER, CopyProcess.USER)
                        .mode(path("own"), 04711);
                IntStream.range(0, 5)
                        .forEach(i -> writer.file(path("others/" + i), 100, i)
                                .owner(path("others/" + i), 1, 2)
                                .mode(path("others/" + i), 06755));
                writer.file(path("closed/file"), 300_000, 1)
                        .owner(path("closed/file"), CopyProcess.USER, CopyProcess.USER)
                        .owner(path("closed"), CopyProcess.USER, CopyProcess.USER)
                        .mode(path("closed"), 0555)
                        .file(path("secret"), 10, 1)
                        .mode(path("secret"), 0600)
                        .file(path("shut/file"), 10, 1)
                        .mode(path("shut"), 0700)
                        .symlink(path("link"), path("own"));
            }).there(writer -> writer.owner(path(""), CopyProcess.USER, CopyProcess.USER));
            String classPath = JavaCommand.classPathIn(copies.directory().resolve("classes"));
            for (int i = 0; i < 2; i++) {
                // The second time, the inaccessible directory exists, and its files are still replaced.
                // The directory above the destination may then only be searched.
                Files.setPosixFilePermissions(copies.directory().path(),
                        PosixFilePermissions.fromString(i == 0 ? "rwxr-xr-x" : "--x--x--x"));
                List<String> told = CopyProcess.run(CopyProcess.AS_USER, classPath, copies, 2);
                assertThat(told).filteredOn(line -> line.startsWith("notice"))
                        .containsExactly("notice owners are not preserved: only root can change the owner of files");
                assertThat(told).filteredOn(line -> line.startsWith("failed"))
                        .hasSize(2)
                        .allMatch(line -> line.contains("Permission denied"));
                assertThat(told).last().isEqualTo("COMPLETE");
                copies.hasNoTemporaries();
                assertThat(mode(copies.at("own"))).isEqualTo(04711);
                assertThat(mode(copies.at("others/1"))).isEqualTo(0755);
                assertThat(mode(copies.at("closed"))).isEqualTo(0555);
                assertThat(Files.getLastModifiedTime(copies.at("others/1")))
                        .isEqualTo(Files.getLastModifiedTime(copies.source().resolve("others/1")));
                assertThat(Files.exists(copies.at("secret"))).isFalse();
            }
        }
    }

    private static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode") & 07777;
    }

    @Test
    void anOrdinaryUserCopiesToWhereNewDirectoriesAreClosedToTheirOwner() throws IOException {
        // The owner's entry of this ACL lacks x.
        copiesInto(writer -> writer.attribute(path(""), PosixAcl.DEFAULT, PosixAcl.of(1, 2)), CopyProcess.AS_USER);
    }

    @Test
    void anOrdinaryUserCopiesToWhereNewDirectoriesCannotBeReadByTheirOwner() throws IOException {
        copiesInto(writer -> writer.directory(path("")), CopyProcess.AS_MASKED_USER);
    }

    private static void copiesInto(Consumer<TreeWriter> target, List<String> by) throws IOException {
        Privilege.requireRoot("becomes another user");
        Installed.require("setpriv", "chown");
        try (Copies copies = Copies.onTmpfs()) {
            open(copies.directory().path());
            copies.with(writer -> writer.file(path("d/e/f"), 10, 1)).there(target);
            run("chown", "-Rh", CopyProcess.USER + ":" + CopyProcess.USER, copies.source().toString(),
                    copies.target().toString());
            String classPath = JavaCommand.classPathIn(copies.directory().resolve("classes"));
            assertThat(CopyProcess.run(by, classPath, copies, 2)).containsExactly("COMPLETE");
            copies.isCopied();
        }
    }

    @Test
    void anOrdinaryUserCopiesAgainOverDirectoriesThatOnlyOthersMayRead() throws IOException {
        Privilege.requireRoot("becomes another user");
        Installed.require("setpriv", "chown");
        try (Copies copies = Copies.onTmpfs()) {
            open(copies.directory().path());
            copies.with(writer -> writer.file(path("d/e/f"), 10, 1).mode(path("d/e"), 0335).mode(path("d"), 0337))
                    .there(writer -> writer.directory(path("")));
            run("chown", CopyProcess.USER + ":" + CopyProcess.USER, copies.target().toString());
            String classPath = JavaCommand.classPathIn(copies.directory().resolve("classes"));
            for (int i = 0; i < 2; i++) {
                assertThat(CopyProcess.run(CopyProcess.AS_USER, classPath, copies, 2))
                        .filteredOn(line -> !line.startsWith("notice"))
                        .containsExactly("COMPLETE");
                TreeAssert.assertThat(copies.targetListing())
                        .ignoring(Aspect.OWNER, Aspect.ROOT)
                        .isCopyOf(copies.sourceListing());
            }
        }
    }

    @Test
    void existingDirectoriesOfACancelledCopyHaveTheModesThatTheyHad() throws IOException {
        Privilege.requireRoot("becomes another user");
        Installed.require("setpriv", "chown");
        try (Copies copies = Copies.onTmpfs()) {
            open(copies.directory().path());
            copies.with(writer -> IntStream.range(0, 2000).forEach(i -> writer.file(path("d/e/" + i), 1, i)))
                    .there(writer -> writer.directory(path("d/e")).mode(path("d/e"), 0300).mode(path("d"), 0500));
            run("chown", "-Rh", CopyProcess.USER + ":" + CopyProcess.USER, copies.source().toString(),
                    copies.target().toString());
            String classPath = JavaCommand.classPathIn(copies.directory().resolve("classes"));
            assertThat(CopyProcess.run(CopyProcess.AS_USER, classPath, copies, 1, CopyProcess.CANCELLED)).last()
                    .isEqualTo("INCOMPLETE");
            assertThat(mode(copies.at("d"))).isEqualTo(0500);
            assertThat(mode(copies.at("d/e"))).isEqualTo(0300);
        }
    }

    @Test
    void anOrdinaryUserCopiesAllOfItsFiles() throws IOException {
        Privilege.requireRoot("becomes another user");
        Installed.require("setpriv", "chown");
        try (Copies copies = Copies.onTmpfs()) {
            open(copies.directory().path());
            HostileTree.make(Linux.calls(), copies.source(), EnumSet.of(Part.NAMES, Part.HARD_LINKS, Part.SPARSE,
                    Part.SYMLINKS, Part.TIMES, Part.EMPTY, Part.SIZES, Part.ATTRIBUTES, Part.SPECIAL_FILES));
            copies.there(writer -> writer.directory(path("")));
            run("chown", "-Rh", CopyProcess.USER + ":" + CopyProcess.USER, copies.source().toString(),
                    copies.target().toString());
            String classPath = JavaCommand.classPathIn(copies.directory().resolve("classes"));
            List<String> told = CopyProcess.run(CopyProcess.AS_USER, classPath, copies, 4);
            assertThat(told).containsExactly("COMPLETE");
            copies.isCopied();
        }
    }

    private static void run(String... command) throws IOException {
        try {
            assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 64})
    void fewDescriptorsSlowItDownAndMakeNothingFail(int threads) {
        try (Copies copies = Copies.onTmpfs(200 << 20)) {
            copies.with(writer -> {
                IntStream.range(0, 60).forEach(i -> {
                    writer.file(path("wide/" + i + "/file"), 5000, i).file(path("wide/" + i + "/b/file"), 5, i);
                    writer.hardLink(path("wide/" + i + "/file"), path("links/" + i + "/link"));
                });
                IntStream.range(0, 30).forEach(i -> writer.file(path("large/" + i), 2_500_000 + i, i));
                writer.file(path("d/".repeat(100) + "deep"), 10, 1);
            });
            List<String> limited = List.of("sh", "-c", "ulimit -n 64 && exec \"$@\"", "sh");
            assertThat(CopyProcess.run(limited, JavaCommand.classPath(), copies, threads)).containsExactly("COMPLETE");
            TreeAssert.assertThat(copies.targetListing()).ignoring(Aspect.ROOT).isCopyOf(copies.sourceListing());
        }
    }
}
