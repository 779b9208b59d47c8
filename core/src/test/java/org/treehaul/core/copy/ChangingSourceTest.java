// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.testing.HostileTree;

/** Sources that change while they are copied, and reads and writes that do less than requested. */
class ChangingSourceTest {

    private static final int LARGE = 3 * HostileTree.CHUNK_BYTES;

    private Copies copies;
    private int changes;

    @BeforeEach
    void make() {
        copies = Copies.onTmpfs();
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    private interface Change {
        void of(Path file) throws IOException;
    }

    private Fault whenRead(Change change) {
        return whenCalled(change, Call.READ, Call.PREAD);
    }

    private Fault whenCalled(Change change, Call call, Call... more) {
        Path file = copies.source().resolve("f");
        return Fault.on(call, more).named("f").runs(met -> {
            change.of(file);
        });
    }

    private static void grow(Path file) throws IOException {
        Files.writeString(file, "more", StandardOpenOption.APPEND);
    }

    // In one call and never to nothing, because several threads do it at the same time: an empty file can shrink no
    // further.
    private static void shrink(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() * 9 / 10);
        }
    }

    private static CopyOptions options(int threads) {
        return archive().threads(threads).chunkBytes(HostileTree.CHUNK_BYTES).verify(CopyOptions.Verify.XXH3).build();
    }

    @ParameterizedTest
    @CsvSource({"1000,1", "300000,1", "3145728,1", "3145728,8"})
    void oneThatGrowsOnceIsCopiedAgain(int size, int threads) {
        copies.with(writer -> writer.file(path("f"), size, 1));
        copies.copyStriped(options(threads), whenRead(ChangingSourceTest::grow).nth(1)).succeeds();
        copies.isCopied().hasNoTemporaries();
    }

    @ParameterizedTest
    @CsvSource({"1000,1", "300000,1", "3145728,1", "3145728,8"})
    void oneThatGrowsAgainAndAgainIsReported(int size, int threads) {
        copies.with(writer -> writer.file(path("f"), size, 1).file(path("g"), size, 2));
        Copies.Ran ran = copies.copyStriped(options(threads), whenRead(ChangingSourceTest::grow));
        assertThat(ran.failed()).containsExactly("CHANGED f read 0");
        assertThat(Files.exists(copies.at("f"))).isFalse();
        assertThat(Files.exists(copies.at("g"))).isTrue();
        copies.hasNoTemporaries();
    }

    @ParameterizedTest
    @CsvSource({"1000,1", "300000,1", "3145728,1", "3145728,8"})
    void oneThatShrinksIsReportedAndTheExistingFileStays(int size, int threads) throws IOException {
        copies.with(writer -> writer.file(path("f"), size, 1).file(path("g"), size, 2))
                .there(writer -> writer.file(path("f"), 7, 1));
        Copies.Ran ran = copies.copyStriped(options(threads), whenRead(ChangingSourceTest::shrink));
        assertThat(ran.failed()).containsExactly("CHANGED f read 0");
        assertThat(Files.size(copies.at("f"))).isEqualTo(7);
        copies.hasNoTemporaries();
    }

    // The first call finds data, the second one their end.
    private Fault seek() {
        return Fault.on(Call.LSEEK).named("f");
    }

    private void withDataAfterAHole() {
        copies.with(writer -> writer.sparse(path("f"), LARGE, 2 << 20).file(path("g"), 10, 1));
    }

    @Test
    void oneThatIsTruncatedBelowDataThatWereFoundIsCopiedAgain() {
        withDataAfterAHole();
        copies.copy(archive().threads(1).build(), seek().nth(2).runs(met -> {
            try (FileChannel file = FileChannel.open(copies.source().resolve("f"), StandardOpenOption.WRITE)) {
                file.truncate(1 << 20);
            }
        })).succeeds();
        copies.isCopied().hasNoTemporaries();
    }

    @Test
    void oneThatIsTruncatedBelowDataThatWereFoundAgainIsReported() {
        withDataAfterAHole();
        Copies.Ran ran = copies.copy(archive().threads(1).build(), seek().nth(2).fails(Errno.ENXIO),
                seek().nth(4).fails(Errno.ENXIO));
        assertThat(ran.failed()).containsExactly("CHANGED f read 0");
        assertThat(Files.exists(copies.at("f"))).isFalse();
        assertThat(Files.exists(copies.at("g"))).isTrue();
        copies.hasNoTemporaries();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void oneOfTheSameSizeButAnotherTimeIsCopiedAgain(int threads) {
        copies.with(writer -> writer.file(path("f"), LARGE, 1));
        copies.copyStriped(options(threads), Fault.on(Call.PWRITE).nth(2).runs(call -> {
            Files.write(copies.source().resolve("f"), new byte[]{1, 2, 3}, StandardOpenOption.WRITE);
        })).succeeds();
        copies.isCopied();
    }

    private void oldOnes(int size) {
        copies.with(writer -> writer.file(path("f"), size, 1)
                .times(path("f"), new Timestamp(2000, 0))
                .file(path("g"), size, 2));
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 250_000})
    void aSmallOneOfAServerThatIsOverwrittenOnceIsCopiedAgain(int size) {
        oldOnes(size);
        copies.copyStriped(options(1), whenRead(this::change).nth(1)).succeeds();
        copies.isCopied().hasNoTemporaries();
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 250_000})
    void aSmallOneOfAServerThatIsOverwrittenAgainAndAgainIsReported(int size) {
        oldOnes(size);
        assertThat(copies.copyStriped(options(1), whenRead(this::change)).failed()).containsExactly("CHANGED f read 0");
        assertThat(Files.exists(copies.at("f"))).isFalse();
        assertThat(Files.exists(copies.at("g"))).isTrue();
        copies.hasNoTemporaries();
    }

    @Test
    void aSmallLocalOneThatIsOverwrittenIsCopiedByTheNextRun() {
        oldOnes(1000);
        CopyOptions update = archive().threads(1).existing(CopyOptions.Existing.UPDATE).build();
        copies.copy(update, whenRead(this::change).nth(1)).succeeds();
        assertThat(copies.copy(update).succeeds().result().counts().files()).isEqualTo(1);
        copies.isCopied();
    }

    private void oldInPlace(int size) {
        copies.with(writer -> writer.file(path("f"), size, 1).times(path("f"), new Timestamp(2000, 0)))
                .there(writer -> writer.file(path("f"), size, 2).times(path("f"), new Timestamp(1000, 0)));
    }

    // With writes, which the test can observe, and not by the kernel, because holes are filled.
    private static CopyOptions updateInPlace() {
        return CopyOptions.builder()
                .threads(1)
                .recursive(true)
                .inPlace(true)
                .sparse(CopyOptions.When.NEVER)
                .existing(CopyOptions.Existing.UPDATE)
                .build();
    }

    // Sets another second each time, which is visible however coarse the file system's clock is.
    private void change(Path file) throws IOException {
        Files.write(file, new byte[]{1, 2, 3}, StandardOpenOption.WRITE);
        changes++;
        Files.setLastModifiedTime(file, FileTime.from(2000 + changes, TimeUnit.SECONDS));
    }

    private Fault changesWhenWritten() {
        return whenCalled(this::change, Call.WRITE, Call.PWRITE);
    }

    @Test
    void oneThatChangesWhileItUpdatesAnotherInPlaceIsCopiedAgain() throws IOException {
        oldInPlace(300_000);
        copies.copy(updateInPlace(), changesWhenWritten().nth(1)).succeeds();
        assertThat(copies.at("f")).hasSameBinaryContentAs(copies.source().resolve("f"));
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 300_000})
    void anErrorThatPassesWhileOneUpdatesAnotherInPlaceLeavesItWhole(int size) {
        oldInPlace(size);
        copies.copy(updateInPlace(), Fault.on(Call.WRITE, Call.PWRITE).nth(1).fails(Errno.ESTALE)).succeeds();
        assertThat(copies.at("f")).hasSameBinaryContentAs(copies.source().resolve("f"));
    }

    @Test
    void oneThatIsGivenUpWhileItUpdatesAnotherInPlaceIsCopiedByTheNextRun() {
        oldInPlace(300_000);
        assertThat(copies.copy(updateInPlace(), changesWhenWritten()).failed()).containsExactly("CHANGED f read 0");
        copies.copy(updateInPlace()).succeeds();
        assertThat(copies.at("f")).hasSameBinaryContentAs(copies.source().resolve("f"));
    }

    @Test
    void oneThatFailsWhileItUpdatesAnotherInPlaceIsCopiedByTheNextRun() {
        oldInPlace(11);
        assertThat(copies.copy(updateInPlace(), Fault.on(Call.WRITE).fails(Errno.EIO)).failed())
                .containsExactly("ERROR f write 5");
        copies.copy(updateInPlace()).succeeds();
        assertThat(copies.at("f")).hasSameBinaryContentAs(copies.source().resolve("f"));
    }

    @Test
    void oneThatVanishesIsReportedAsVanished() {
        copies.with(writer -> writer.file(path("f"), 10, 1).file(path("d/f"), 10, 1));
        Copies.Ran ran = copies.copy(archive().threads(1).build(),
                whenCalled(Files::deleteIfExists, Call.OPENAT).nth(1));
        assertThat(ran.failed()).allMatch(failed -> failed.startsWith("VANISHED f "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"symlink", "fifo", "directory", "file"})
    void oneThatIsReplacedIsNotFollowedAndStopsNothing(String by) {
        copies.with(writer -> writer.file(path("f"), 10, 1).file(path("g"), 10, 1));
        boolean[] once = {true};
        Copies.Ran ran = copies.copy(archive().threads(1).build(), whenCalled(file -> {
            if (once[0]) {
                once[0] = false;
                Files.delete(file);
                copies.with(writer -> {
                    switch (by) {
                        case "symlink" -> writer.symlink(path("f"), path("/etc/passwd"));
                        case "fifo" -> writer.special(path("f"), EntryKind.FIFO, 0);
                        case "directory" -> writer.directory(path("f"));
                        default -> writer.file(path("f"), 20, 2);
                    }
                });
            }
        }, Call.OPENAT));
        assertThat(Files.exists(copies.at("g"))).isTrue();
        if (by.equals("file")) {
            ran.succeeds();
        } else {
            assertThat(ran.failed()).containsExactly("CHANGED f read 0");
            assertThat(Files.exists(copies.at("f"))).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void readsAndWritesThatDoLessAreContinued(int threads) {
        copies.with(writer -> writer.file(path("f"), 20_000, 1)
                .file(path("g"), LARGE + 3, 2)
                .sparse(path("h"), LARGE, 4096, 1_500_000));
        copies.copyStriped(options(threads), Fault.on(Call.READ, Call.PREAD).atMost(1013),
                Fault.on(Call.WRITE, Call.PWRITE).atMost(999)).succeeds();
        copies.isCopied();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void aFileThatFailsMidwayDoesNotMakeTheNextLookCorrupt(int threads) {
        copies.with(writer -> {
            for (int i = 0; i < 6; i++) {
                writer.file(path("f" + i), LARGE, i);
            }
        });
        Copies.Ran ran = copies.copyStriped(options(threads), Fault.on(Call.PWRITE).nth(3).fails(Errno.EIO));
        assertThat(ran.failed()).singleElement().asString().endsWith("write 5");
        assertThat(ran.result().counts().files()).isEqualTo(5);
    }

    @Test
    void aDirectoryThatIsNotReadToItsEndKeepsItsTimeOfNow() throws IOException {
        copies.with(writer -> {
            for (int i = 0; i < 20; i++) {
                writer.file(path("d/f" + i), 10, i);
            }
            writer.times(path("d"), new Timestamp(1000, 0));
        });
        Copies.Ran ran = copies.copy(archive().reportDone(true).build(),
                Fault.on(Call.GETDENTS64).named("d").endsListing(5, Errno.EIO));
        assertThat(ran.failed()).containsExactly("ERROR d getdents64 5");
        assertThat(ran.done()).noneMatch(done -> done.endsWith("/d"));
        assertThat(copies.at("d").toFile().list()).hasSize(5);
        assertThat(Files.getLastModifiedTime(copies.at("d")).toMillis()).isGreaterThan(1_000_000_000_000L);
    }

    @Test
    void aDirectoryThatIsRemovedWhileItIsListedHasVanished() {
        copies.with(writer -> {
            for (int i = 0; i < 20; i++) {
                writer.file(path("d/f" + i), 10, i);
            }
        });
        Copies.Ran ran = copies.copy(archive().build(),
                Fault.on(Call.GETDENTS64).named("d").endsListing(5, Errno.ENOENT));
        assertThat(ran.failed()).containsExactly("VANISHED d getdents64 2");
        assertThat(copies.at("d").toFile().list()).hasSize(5);
    }
}
