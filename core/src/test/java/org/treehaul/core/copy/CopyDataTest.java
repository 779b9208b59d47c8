// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.file.ChunkedFile;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.testing.HostileTree;

/** The copying of data: holes, shared blocks, sources without a size, verification. */
class CopyDataTest {

    private static final long MIB = 1 << 20;

    private Copies copies;

    @BeforeEach
    void make() {
        copies = Copies.onTmpfs();
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    private static CopyOptionsBuilder plain() {
        return CopyOptions.builder().threads(1);
    }

    private long allocated(String name) {
        return copies.targetListing().find(name).orElseThrow().status().blocks() * 512;
    }

    @ParameterizedTest
    @CsvSource({"AUTO,1", "AUTO,8", "NEVER,1", "NEVER,8", "ALWAYS,1", "ALWAYS,8"})
    void holesAreKeptFilledOrMadeAsTheOptionsSay(CopyOptions.When when, int threads) throws IOException {
        copies.with(writer -> writer.sparse(path("holes"), 8 * MIB, 4 * MIB));
        Files.write(copies.source().resolve("zeros"), new byte[(int) (2 * MIB)]);
        copies.copy(archive().sparse(when).threads(threads).chunkBytes(MIB).build()).succeeds();
        copies.copy(archive().sparse(when).threads(threads).chunkBytes(MIB).verify(CopyOptions.Verify.XXH3).build())
                .succeeds();
        assertThat(copies.targetListing().find("holes").orElseThrow().content())
                .isEqualTo(copies.sourceListing().find("holes").orElseThrow().content());
        assertThat(allocated("holes") > MIB).isEqualTo(when == CopyOptions.When.NEVER);
        assertThat(allocated("zeros") > MIB).isEqualTo(when != CopyOptions.When.ALWAYS);
    }

    @ParameterizedTest
    @CsvSource({"AUTO,false", "AUTO,true", "NEVER,false", "ALWAYS,false", "ALWAYS,true"})
    void holesAreKeptInPlaceToo(CopyOptions.When when, boolean isThroughLink) throws IOException {
        copies.with(writer -> writer.sparse(path("f"), 8 * MIB, 4 * MIB)).there(writer -> {
            writer.file(path("real"), 3_000_000, 1);
            if (isThroughLink) {
                writer.symlink(path("f"), path("real"));
            } else {
                writer.hardLink(path("real"), path("f"));
            }
        });
        CopyOptions options = plain().inPlace(true).sparse(when).verify(CopyOptions.Verify.XXH3).build();
        copies.copyOne(options, "f", "f").succeeds();
        assertThat(copies.at("real")).hasSameBinaryContentAs(copies.source().resolve("f"));
        assertThat(allocated("real") > MIB).isEqualTo(when == CopyOptions.When.NEVER);
    }

    @Test
    void aFileOfHolesAsLargeAsCanBeHasNotTooManyChunks() {
        long size = 1L << 43;
        assertThat(ChunkedFile.chunkBytes(size, MIB)).isEqualTo(1L << 27);
        assertThat(Math.ceilDiv(Long.MAX_VALUE, ChunkedFile.chunkBytes(Long.MAX_VALUE, MIB)))
                .isLessThanOrEqualTo(65536);
        assertThat(ChunkedFile.chunkBytes(3 * MIB, MIB)).isEqualTo(MIB);
        copies.with(writer -> writer.sparse(path("holes"), size, 0, size / 2));
        copies.copy(archive().threads(4).chunkBytes(MIB).verify(CopyOptions.Verify.XXH3).build()).succeeds();
        copies.isCopied();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 300_000})
    void reflinkAlwaysFailsWhereItCannotBe(int size) {
        copies.with(writer -> writer.file(path("f"), size, 1));
        Copies.Ran ran = copies.copy(archive().reflink(CopyOptions.When.ALWAYS).build());
        assertThat(ran.failed()).containsExactly("ERROR f ficlone " + Errno.EOPNOTSUPP);
        assertThat(Files.exists(copies.at("f"))).isFalse();
        copies.hasNoTemporaries();
    }

    @Test
    void aSparseFileThatSharesItsDataCountsAsMuchAsOneWhoseDataAreMoved() {
        copies.with(writer -> writer.sparse(path("f"), 8 * MIB, 4 * MIB));
        Copies.Ran ran = copies.copy(archive().build(), Fault.on(Call.FICLONE).returns(0)).succeeds();
        assertThat(ran.result().counts().bytes()).isEqualTo(4096);
    }

    @Test
    void reflinkIsTriedOnceForAPairOfFileSystemsThatCannot() {
        copies.with(writer -> {
            for (int i = 0; i < 10; i++) {
                writer.file(path("f" + i), 300_000, i);
            }
        });
        assertThat(copies.copy(archive().threads(1).build()).succeeds().calls().count(Call.FICLONE)).isOne();
        copies.isCopied();
    }

    @ParameterizedTest
    @EnumSource(CopyOptions.Verify.class)
    void aFileInProcHasNoSizeButData(CopyOptions.Verify verify) throws IOException {
        CopyPair pair = Copies.pair(Path.of("/proc/version"), copies.directory().resolve("version"));
        Copies.Ran ran = Copies.run(plain().verify(verify).build(), List.of(pair), new Cancellation()).succeeds();
        assertThat(Files.readString(copies.directory().resolve("version")))
                .isEqualTo(Files.readString(Path.of("/proc/version")));
        assertThat(ran.result().counts().verifiedBytes() > 0).isEqualTo(verify != CopyOptions.Verify.NONE);
    }

    @ParameterizedTest
    @EnumSource(value = CopyOptions.When.class, names = {"AUTO", "NEVER"})
    void aFileInSysHasFewerDataThanItsSize(CopyOptions.When sparse) throws IOException {
        Path file = Path.of("/sys/class/net/lo/mtu");
        Assumptions.assumeTrue(Files.isReadable(file) && Files.size(file) > Files.readString(file).length(),
                file + " cannot be read here, or tells its size right");
        Path copy = copies.directory().resolve("mtu");
        for (boolean isInPlace : new boolean[]{false, true}) {
            CopyOptions options = plain().sparse(sparse).inPlace(isInPlace).verify(CopyOptions.Verify.XXH3).build();
            Copies.run(options, List.of(Copies.pair(file, copy)), new Cancellation()).succeeds();
            assertThat(Files.readString(copy)).isEqualTo(Files.readString(file));
        }
    }

    @Test
    void aLinkIsFollowedWhereLinksAre() throws IOException {
        copies.with(writer -> writer.file(path("real"), "content".getBytes(UTF_8)).symlink(path("f"), path("real")))
                .there(writer -> {
                });
        copies.copyOne(plain().build(), "f", "f").succeeds();
        assertThat(Files.readString(copies.at("f"))).isEqualTo("content");
        assertThat(Files.isSymbolicLink(copies.at("f"))).isFalse();
        copies.copyOne(archive().build(), "f", "link").succeeds();
        assertThat(Files.isSymbolicLink(copies.at("link"))).isTrue();
    }

    @Test
    void linksToSpecialFilesAreFollowedInTrees() throws IOException {
        copies.with(writer -> writer.special(path("d/fifo"), EntryKind.FIFO, 0)
                .symlink(path("d/link"), path("fifo"))
                .file(path("d/f"), 10, 1)
                .symlink(path("d/toFile"), path("f")));
        copies.copy(plain().recursive(true).build()).succeeds();
        assertThat((int) Files.getAttribute(copies.at("d/link"), "unix:mode", LinkOption.NOFOLLOW_LINKS) & 0170000)
                .isEqualTo(EntryKind.FIFO.typeBits());
        assertThat(Files.isRegularFile(copies.at("d/toFile"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    }

    @Test
    void aFifoThatIsNamedIsReadToItsEnd() throws IOException {
        copies.with(writer -> writer.special(path("fifo"), EntryKind.FIFO, 0)).there(writer -> {
        });
        byte[] content = "x".repeat(700_000).getBytes(UTF_8);
        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> {
            try {
                Files.write(copies.source().resolve("fifo"), content, StandardOpenOption.WRITE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        copies.copyOne(plain().verify(CopyOptions.Verify.SHA256).build(), "fifo", "f").succeeds();
        written.join();
        assertThat(Files.readAllBytes(copies.at("f"))).isEqualTo(content);
    }

    @Test
    void aDeviceThatIsNamedIsReadToItsEnd() throws IOException {
        CopyPair pair = Copies.pair(Path.of("/dev/null"), copies.directory().resolve("empty"));
        Copies.run(plain().build(), List.of(pair), new Cancellation()).succeeds();
        assertThat(Files.size(copies.directory().resolve("empty"))).isZero();
    }

    // Returns a fault that writes into the file just before it is read back.
    private Fault corrupting(String name, AtomicInteger times) {
        return Fault.on(Call.POSIX_FADVISE).named(name).runs(call -> {
            if (times.getAndDecrement() > 0) {
                try {
                    Files.write(copies.at(name), new byte[]{9, 9, 9, 9}, StandardOpenOption.WRITE);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"XXH3,5000", "SHA256,5000", "XXH3,400000"})
    void aCopyThatReadsBackDifferentlyIsReportedAndRemoved(CopyOptions.Verify verify, int size) {
        copies.with(writer -> writer.file(path("f"), size, 1).file(path("g"), size, 2));
        Copies.Ran ran = copies.copyStriped(archive().verify(verify).build(), corrupting("f", new AtomicInteger(1)));
        assertThat(ran.failed()).containsExactly("CORRUPT f verify 0");
        assertThat(Files.exists(copies.at("f"))).isFalse();
        assertThat(Files.exists(copies.at("g"))).isTrue();
        copies.copy(archive().verify(verify).build()).succeeds();
        copies.isCopied();
    }

    @ParameterizedTest
    @ValueSource(strings = {"other", "longer", "shorter"})
    void aSmallCopyThatReadsBackDifferentlyInMemoryIsReportedAndRemoved(String how) {
        copies.with(writer -> writer.file(path("f"), 5000, 1).file(path("g"), 5000, 2));
        CopyOptions options = archive().threads(1).verify(CopyOptions.Verify.XXH3).build();
        // On a file system in memory nothing is synced or dropped from the cache: the file is opened once more. Its
        // source was opened before it.
        Copies.Ran ran = copies.copy(options, Fault.on(Call.OPENAT).named("f").nth(3).runs(call -> {
            try (FileChannel file = FileChannel.open(copies.at("f"), StandardOpenOption.WRITE)) {
                switch (how) {
                    case "longer" -> file.write(ByteBuffer.allocate(1), 5000);
                    case "shorter" -> file.truncate(4999);
                    default -> file.write(ByteBuffer.wrap("not what it was".getBytes(UTF_8)), 1234);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
        assertThat(ran.failed()).containsExactly("CORRUPT f verify 0");
        assertThat(copies.target().toFile().list()).containsExactly("g");
    }

    @ParameterizedTest
    @CsvSource({"5000,1", "400000,3"})
    void aCopyThatCannotBeReadBackIsReportedAndRemoved(int size, int read) {
        copies.with(writer -> writer.file(path("f"), size, 1).file(path("g"), 10, 2));
        Copies.Ran ran = copies.copyStriped(archive().threads(1).verify(CopyOptions.Verify.XXH3).build(),
                Fault.on(Call.PREAD).named("f").from(read).fails(Errno.EIO));
        assertThat(ran.failed()).containsExactly("ERROR f read 5");
        assertThat(copies.target().toFile().list()).containsExactly("g");
    }

    @Test
    void aCopyWithFurtherNamesThatCannotBeSyncedIsRemoved() {
        copies.with(writer -> writer.file(path("f"), 5000, 1).hardLink(path("f"), path("g")));
        Copies.Ran ran = copies.copyStriped(archive().threads(1).verify(CopyOptions.Verify.XXH3).build(),
                Fault.on(Call.FSYNC).named("f").fails(Errno.EIO), Fault.on(Call.FSYNC).named("g").fails(Errno.EIO));
        assertThat(ran.failed()).containsExactly("ERROR f fsync 5", "ERROR g fsync 5");
        assertThat(copies.target().toFile().list()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = CopyOptions.Existing.class, names = {"REPLACE", "UPDATE"})
    void aFileInPlaceThatReadsBackDifferentlyDoesNotLookLikeACopy(CopyOptions.Existing existing) throws IOException {
        copies.with(writer -> writer.file(path("f"), 5000, 1))
                .there(writer -> writer.file(path("f"), 5000, 2).times(path("f"), new Timestamp(1000, 0)));
        FileTime time = Files.getLastModifiedTime(copies.source().resolve("f"));
        CopyOptions options = archive().inPlace(true).existing(existing).verify(CopyOptions.Verify.XXH3).build();
        Copies.Ran ran = copies.copyStriped(options, Fault.on(Call.POSIX_FADVISE).named("f").nth(1).runs(call -> {
            Files.write(copies.at("f"), new byte[]{9, 9, 9, 9}, StandardOpenOption.WRITE);
            Files.setLastModifiedTime(copies.at("f"), time);
        }));
        assertThat(ran.failed()).containsExactly("CORRUPT f verify 0");
        assertThat(Files.getLastModifiedTime(copies.at("f"))).isNotEqualTo(time);
        copies.copy(options).succeeds();
        copies.isCopied();
    }

    @Test
    void noNameIsLinkedToACopyThatReadsBackDifferently() {
        copies.with(writer -> writer.file(path("f"), 5000, 1)
                .hardLink(path("f"), path("g"))
                .hardLink(path("f"), path("h")));
        AtomicInteger times = new AtomicInteger(1);
        Copies.Ran ran = copies.copyStriped(archive().verify(CopyOptions.Verify.XXH3).threads(1).build(),
                corrupting("f", times), corrupting("g", times), corrupting("h", times));
        assertThat(ran.failed()).singleElement().asString().startsWith("CORRUPT ");
        assertThat(copies.targetListing().entries()).hasSize(3);
        assertThat(copies.targetListing().entries()).filteredOn(e -> e.status().kind() == EntryKind.REGULAR)
                .allMatch(e -> e.content().equals(copies.sourceListing().find("f").orElseThrow().content()));
    }

    @Test
    void aChunkThatReadsBackDifferentlyDiscardsTheFile() {
        copies.with(writer -> writer.file(path("f"), 3 * MIB, 1));
        // The size of the data read back is right, but their content is not: reads of the unnamed temporary file return
        // nothing new.
        Copies.Ran ran = copies.copy(archive().threads(4).chunkBytes(MIB).verify(CopyOptions.Verify.XXH3).build(),
                Fault.on(Call.PREAD).named("").nth(2).returns(256 * 1024));
        assertThat(ran.failed()).containsExactly("CORRUPT f verify 0");
        assertThat(Files.exists(copies.at("f"))).isFalse();
        copies.hasNoTemporaries();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void aDirectoryOfManyLargeFilesKeepsFewOfThemOpen(int threads) {
        int files = 40;
        copies.with(writer -> {
            for (int i = 0; i < files; i++) {
                writer.sparse(path("f" + i), 3L * HostileTree.CHUNK_BYTES, 0, 2 * MIB);
            }
        });
        AtomicInteger open = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        copies.copyStriped(archive().threads(threads).chunkBytes(MIB).build(),
                Fault.on(Call.FTRUNCATE).runs(call -> most.accumulateAndGet(open.incrementAndGet(), Math::max)),
                Fault.on(Call.FUTIMENS).named("").runs(call -> open.decrementAndGet())).succeeds();
        copies.isCopied();
        assertThat(most.get()).isLessThanOrEqualTo(2 * threads);
    }

    @Test
    void theBandwidthHoldsForAllThreadsTogether() {
        copies.with(writer -> {
            for (int i = 0; i < 20; i++) {
                writer.file(path("f" + i), 100_000, i);
            }
        });
        long start = System.nanoTime();
        copies.copy(archive().threads(4).bandwidth(10_000_000).build()).succeeds();
        // 2 MB at 10 MB per second, minus the credit. An upper limit would depend on the machine.
        assertThat(System.nanoTime() - start).isGreaterThan(90_000_000L);
    }
}
