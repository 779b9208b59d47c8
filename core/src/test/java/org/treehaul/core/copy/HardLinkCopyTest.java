// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeWriter;

/** Files with several names: one file in the copy too, whichever name comes first and whatever happens to it. */
class HardLinkCopyTest {

    private static final int DIRECTORIES = 20;
    private static final long LARGE = 3L * HostileTree.CHUNK_BYTES + 7;

    // Creates one file with a name in each of many directories, so that several threads find it at the same time.
    private static void names(TreeWriter writer, long size) {
        writer.file(path("d0/name"), size, 1);
        IntStream.range(1, DIRECTORIES)
                .forEach(i -> writer.hardLink(path("d0/name"), path("d" + i + "/name"))
                        .hardLink(path("d0/name"), path("d" + i + "/another")));
    }

    private static long linksOf(Path path) throws IOException {
        return ((Number) Files.getAttribute(path, "unix:nlink")).longValue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whereOnlyAttributesAreCopiedEachNameKeepsItsData(boolean isInPlace) throws IOException {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> writer.file(path("a"), 100, 1).hardLink(path("a"), path("b")).mode(path("a"), 0751));
            for (String name : List.of("a", "b")) {
                copies.there(writer -> writer.file(path(name), name.getBytes(StandardCharsets.UTF_8)));
            }
            copies.copy(archive().attributesOnly(true).inPlace(isInPlace).build()).succeeds();
            for (String name : List.of("a", "b")) {
                assertThat(copies.at(name)).hasContent(name);
                assertThat((int) Files.getAttribute(copies.at(name), "unix:mode") & 0777).isEqualTo(0751);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void namesAcrossDirectoriesAreOneFile(int threads) {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> names(writer, 5000));
            copies.copy(archive().threads(threads).build()).succeeds();
            copies.isCopied().agreesWithRsync();
            copies.copy(archive().threads(threads).build()).succeeds();
            copies.isCopied().hasNoTemporaries();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 8})
    void namesOfALargeFileWaitForItsChunks(int threads) {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> names(writer, LARGE));
            CopyOptions options = archive().threads(threads)
                    .chunkBytes(HostileTree.CHUNK_BYTES)
                    .verify(CopyOptions.Verify.XXH3)
                    .build();
            copies.copyStriped(options).succeeds();
            copies.isCopied();
            copies.copy(options).succeeds();
            copies.isCopied().hasNoTemporaries();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void whereTheFirstNameFailsTheNextLeads(int threads) {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> names(writer, 5000));
            Copies.Ran ran = copies.copy(archive().threads(threads).build(),
                    Fault.on(Call.READ).times(1).fails(Errno.EIO));
            assertThat(ran.failed()).singleElement().asString().endsWith("read 5");
            assertThat(ran.result().isComplete()).isTrue();
            assertThat(ran.result().counts().entries()).isEqualTo(2 * DIRECTORIES - 2 + DIRECTORIES + 1);
            assertThat(copies.targetListing()
                    .entries()
                    .stream()
                    .filter(entry -> entry.status().kind() == EntryKind.REGULAR)
                    .map(entry -> entry.linkGroup())
                    .distinct()).hasSize(1);
        }
    }

    // As in GNU cp's tests/cp/preserve-link.sh: one file afterwards, although some names were older, newer, or linked.
    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void anUpdateMakesOneFileOfAllNames(int threads) throws Exception {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> writer.file(path("f"), 100, 1)
                    .hardLink(path("f"), path("missing"))
                    .hardLink(path("f"), path("linked"))
                    .hardLink(path("f"), path("older"))
                    .hardLink(path("f"), path("newer")));
            copies.there(writer -> writer.file(path("f"), 100, 1)
                    .hardLink(path("f"), path("linked"))
                    .file(path("older"), 50, 2)
                    .file(path("newer"), 60, 3));
            Files.setLastModifiedTime(copies.at("older"), FileTime.from(Instant.EPOCH));
            Files.setLastModifiedTime(copies.at("newer"), FileTime.from(Instant.now().plusSeconds(3600)));
            CopyOptions update = archive().threads(threads).existing(CopyOptions.Existing.UPDATE).build();
            copies.copy(update).succeeds();
            assertThat(linksOf(copies.at("f"))).isEqualTo(5);
            copies.hasNoTemporaries();
            // Names that are already one file are left alone.
            assertThat(copies.copy(update).result().counts().entries()).isEqualTo(1);
        }
    }

    @Test
    void whereTheFirstNameOfALargeFileFailsTheNextLeads() {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> names(writer, LARGE));
            Copies.Ran ran = copies.copyStriped(archive().threads(8).chunkBytes(HostileTree.CHUNK_BYTES).build(),
                    Fault.on(Call.PWRITE).times(1).fails(Errno.EIO));
            assertThat(ran.failed()).singleElement().asString().endsWith("write 5");
            assertThat(ran.result().counts().entries()).isEqualTo(2 * DIRECTORIES - 2 + DIRECTORIES + 1);
        }
    }

    @Test
    void whereEveryNameFailsTheCopyEnds() {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> names(writer, 5000));
            Copies.Ran ran = copies.copy(archive().threads(8).build(), Fault.on(Call.READ).fails(Errno.EIO));
            assertThat(ran.failures()).hasSize(2 * DIRECTORIES - 1);
        }
    }

    @Test
    void aNameThatVanishesWhileItWaitsLeavesTheLeadToTheNext() {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> names(writer, LARGE));
            // The first copy fails, and every second name that is tried again has vanished by then.
            Copies.Ran ran = copies.copyStriped(archive().threads(8).chunkBytes(HostileTree.CHUNK_BYTES).build(),
                    Fault.on(Call.PWRITE).times(1).fails(Errno.EIO),
                    Fault.on(Call.OPENAT).named("another").from(12).times(5).fails(Errno.ENOENT));
            assertThat(ran.result().isComplete()).isTrue();
            assertThat(ran.result().counts().entries() + ran.failures().size())
                    .isEqualTo(2 * DIRECTORIES - 1 + DIRECTORIES + 1);
        }
    }

    @Test
    void aNameThatCannotBeLinkedAtFirstIsLinkedWhenTheErrorHasPassed() throws IOException {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> names(writer, 5000));
            copies.copy(archive().build(), Fault.on(Call.LINKAT).times(2).fails(Errno.ESTALE)).succeeds();
            copies.isCopied();
            assertThat(linksOf(copies.at("d0/name"))).isEqualTo(2 * DIRECTORIES - 1);
        }
    }

    @Test
    void whereNoMoreLinksAreAllowedNamesAreFilesOfTheirOwn() {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> names(writer, 5000));
            Copies.Ran ran = copies.copy(archive().threads(1).build(),
                    Fault.on(Call.LINKAT).nth(3).fails(Errno.EMLINK));
            ran.succeeds();
            assertThat(ran.notices()).singleElement().asString().contains("hard links");
            assertThat(copies.targetListing()
                    .entries()
                    .stream()
                    .filter(entry -> entry.status().kind() == EntryKind.REGULAR)
                    .map(entry -> entry.linkGroup())
                    .distinct()).hasSize(2);
            assertThat(copies.targetListing().entries().stream().map(entry -> entry.content()).distinct()).hasSize(2);
        }
    }

    @Test
    void oneThreadCopiesAtTheLinkLimitAndTheOthersLinkToItsCopy() {
        CyclicBarrier bothThere = new CyclicBarrier(2);
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> names(writer, 5000));
            Copies.Ran ran = copies.copy(archive().threads(2).build(),
                    Fault.on(Call.LINKAT).times(2).fails(Errno.EMLINK).runs(i -> await(bothThere)));
            ran.succeeds();
            assertThat(ran.notices()).singleElement().asString().contains("hard links");
            assertThat(copies.targetListing()
                    .entries()
                    .stream()
                    .filter(entry -> entry.status().kind() == EntryKind.REGULAR)
                    .map(entry -> entry.linkGroup())
                    .distinct()).hasSize(2);
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anExistingFileStaysIfNoTemporaryFileCanBeCreated() {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> writer.file(path("a"), 10, 1).hardLink(path("a"), path("b")))
                    .there(writer -> writer.file(path("a"), 10, 2).file(path("b"), 10, 3));
            Copies.Ran ran = copies.copy(archive().threads(1).build(), Fault.on(Call.LINKAT).fails(Errno.EMLINK));
            // No name at all can be linked, not even that of an unnamed temporary file.
            assertThat(ran.failures()).isNotEmpty();
            copies.hasNoTemporaries();
            copies.copy(archive().build()).succeeds();
            copies.isCopied();
        }
    }

    @Test
    void namesThatAreLinksAlreadyStayLinks() throws IOException {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> writer.file(path("a"), 10, 1).hardLink(path("a"), path("b")).file(path("c"), 10, 9))
                    .there(writer -> writer.file(path("a"), 10, 2)
                            .hardLink(path("a"), path("b"))
                            .hardLink(path("a"), path("c"))
                            .hardLink(path("a"), path("elsewhere")));
            copies.copy(archive().build()).succeeds();
            copies.hasNoTemporaries();
            assertThat(linksOf(copies.at("a"))).isEqualTo(2);
            assertThat(linksOf(copies.at("c"))).isEqualTo(1);
            assertThat(Files.size(copies.at("elsewhere"))).isEqualTo(10);
            copies.copy(archive().existing(CopyOptions.Existing.UPDATE).build()).succeeds();
            copies.hasNoTemporaries();
            assertThat(linksOf(copies.at("a"))).isEqualTo(2);
        }
    }

    @Test
    void aNameWhoseFileWasReplacedJoinsTheGroupOfTheNewOne() throws IOException {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> writer.file(path("a"), 10, 1).hardLink(path("a"), path("b")));
            Path a = copies.source().resolve("a");
            Copies.Ran ran = copies.copy(archive().threads(1).build(), Fault.on(Call.READ).nth(1).runs(call -> {
                // The name being read refers to another file afterwards; the open file has grown.
                Path name = copies.source().resolve(call.names().getFirst().toString());
                Files.writeString(name, "more than it was before");
                Files.delete(name);
                Files.writeString(name, "new");
            }));
            ran.succeeds();
            assertThat(Files.readString(copies.at("a"))).isEqualTo(Files.readString(a));
            assertThat(Files.readString(copies.at("b"))).isEqualTo(Files.readString(copies.source().resolve("b")));
            assertThat(linksOf(copies.at("a"))).isEqualTo(1);
        }
    }

    @Test
    void namesThatWaitAreCopiedAlthoughTheOneWokenIsAnotherFileByThen() {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> names(writer, LARGE));
            // Each name is opened once before it waits.
            Copies.Ran ran = copies.copyStriped(archive().threads(8).chunkBytes(HostileTree.CHUNK_BYTES).build(),
                    Fault.on(Call.PWRITE).times(1).fails(Errno.EIO),
                    Fault.on(Call.OPENAT).named("name").nth(DIRECTORIES + 1).runs(HardLinkCopyTest::replace),
                    Fault.on(Call.OPENAT).named("another").nth(DIRECTORIES).runs(HardLinkCopyTest::replace));
            assertThat(ran.result().isComplete()).isTrue();
            assertThat(ran.failed()).singleElement().asString().endsWith("write 5");
            assertThat(ran.result().counts().entries()).isEqualTo(2 * DIRECTORIES - 2 + DIRECTORIES + 1);
        }
    }

    private static void replace(Fault.Invocation call) {
        try {
            Path name = Path.of("/proc/self/fd/" + call.descriptor()).resolve(call.names().getFirst().toString());
            Files.delete(name);
            Files.writeString(name, "new");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void withoutLinksToKeepEachNameIsAFileOfItsOwn() throws IOException {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> names(writer, 100));
            copies.copy(CopyOptions.builder().recursive(true).threads(2).build()).succeeds();
            assertThat(linksOf(copies.at("d0/name"))).isEqualTo(1);
        }
    }

    @Test
    void linksToADeviceWrittenThroughAreNoLinksToTheDevice() throws IOException {
        Privilege.requireRoot("makes a device");
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> writer.file(path("a"), 10, 1).hardLink(path("a"), path("b")))
                    .there(writer -> writer.special(path("a"), EntryKind.CHARACTER, 0x103)
                            .special(path("b"), EntryKind.CHARACTER, 0x103));
            copies.copy(archive().build()).succeeds();
            assertThat(linksOf(copies.at("a"))).isEqualTo(1);
            assertThat(linksOf(copies.at("b"))).isEqualTo(1);
            Files.delete(copies.at("b"));
            copies.copy(archive().threads(1).build()).succeeds();
            assertThat(Files.isRegularFile(copies.at("b"))).isTrue();
            assertThat(Files.isRegularFile(copies.at("a"))).isFalse();
        }
    }
}
