// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

/** Segments in a directory that this process reaches itself. */
class LocalSegmentsTest extends SegmentsContract {

    private final TestDirectory directory = TestDirectory.make();
    private final ByteString path = ByteString.of(directory.path().resolve("server"));
    private final List<Segments> opened = new ArrayList<>();
    private final SegmentKey key = new SegmentKey(UUID.randomUUID(), 1, 0);

    @AfterEach
    void close() {
        opened.forEach(Segments::close);
        directory.close();
    }

    @Override
    protected synchronized Segments segments() throws StageException {
        return opened.isEmpty() ? open(Linux.calls()) : opened.getFirst();
    }

    private StageServer server() throws StageException {
        return new StageServer("job", "d1", "node1", LocalSegments.make(Linux.calls(), path), path, "");
    }

    private Segments open(FileSystemCalls calls) throws StageException {
        Segments segments = LocalSegments.open(calls, server());
        opened.add(segments);
        return segments;
    }

    private static SegmentPart bytes(int length) {
        return new SegmentPart(0, Arena.ofAuto().allocate(length).fill((byte) 7));
    }

    @Test
    void theDirectoryAndItsFilesArePrivateAndNothingElseIsWritten() throws Exception {
        segments().create(key);
        segments().writeSums(key, 0, new long[]{1});
        Path server = directory.path().resolve("server");
        assertThat(Files.getPosixFilePermissions(server)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
        try (var files = Files.list(server)) {
            assertThat(files.map(file -> {
                try {
                    return file.getFileName() + " "
                            + PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            })).containsExactlyInAnyOrder("treehaul-stage rw-------", key.name() + " rw-------",
                    key.name() + ".sums rw-------");
        }
    }

    @Test
    void makingTheDirectoryAgainFindsIt() throws Exception {
        assertThat(LocalSegments.make(Linux.calls(), path)).isEqualTo(LocalSegments.make(Linux.calls(), path));
    }

    @Test
    void theParentOfTheDirectoryNeedNotBeReadable() throws Exception {
        String parent = directory.path().getFileName().toString();
        FileSystemCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named(parent).fails(Errno.EACCES));
        assertThat(LocalSegments.make(calls, path)).isEqualTo(LocalSegments.make(Linux.calls(), path));
    }

    @Test
    void aFullDiskLeavesNoMarkerThatIsDamaged() throws Exception {
        FileSystemCalls full = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).fails(Errno.ENOSPC));
        assertThatThrownBy(() -> LocalSegments.make(full, path)).hasMessageContaining("ENOSPC");
        assertThat(LocalSegments.make(Linux.calls(), path)).isNotNull();
    }

    @Test
    void aMarkerThatAKilledProcessLeftEmptyIsWrittenByTheNextOne() throws Exception {
        Path marker = Files
                .createFile(Files.createDirectory(directory.path().resolve("server")).resolve("treehaul-stage"));
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int writing = access.open(LinuxConstants.AT_FDCWD, access.name(ByteString.of(marker).toBytes()),
                    LinuxConstants.O_WRONLY, 0);
            assertThat(Linux.calls().ofdLock(writing, LinuxConstants.F_WRLCK)).isZero();
            assertThatThrownBy(() -> LocalSegments.make(Linux.calls(), path)).hasMessageContaining("another process");
            access.close(writing);
        }
        assertThat(LocalSegments.make(Linux.calls(), path)).isEqualTo(LocalSegments.make(Linux.calls(), path));
        assertThat(segments().server()).contains("d1");
    }

    @Test
    void aMarkerThatCannotBeClosedIsClosedOnceAndRemoved() throws Exception {
        FaultInjectingCalls failing = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.CLOSE).named("treehaul-stage").fails(Errno.EIO));
        assertThatThrownBy(() -> LocalSegments.make(failing, path)).hasMessageContaining("EIO");
        // A second close of the number could end a file of another thread.
        assertThat(failing.count(Call.CLOSE)).as("the marker, and the directory").isEqualTo(2);
        assertThat(LocalSegments.make(Linux.calls(), path)).isNotNull();
    }

    @Test
    void aPartOfAChecksumIsForgottenToo() throws Exception {
        segments().create(key);
        segments().writeSums(key, 0, new long[]{-1, -1});
        Path sums = directory.path().resolve("server").resolve(key.name() + ".sums");
        Files.write(sums, Arrays.copyOf(Files.readAllBytes(sums), 12));
        segments().writeSums(key, 1, new long[1]);
        segments().writeSums(key, 2, new long[]{-1});
        long[] read = new long[3];
        segments().readSums(key, 0, read);
        assertThat(read).containsExactly(-1, 0, -1);
    }

    @Test
    void unknownChecksumsOfALargeHoleTakeNoRoom() throws Exception {
        segments().create(key);
        segments().writeSums(key, 1000, new long[1000]);
        Path sums = directory.path().resolve("server").resolve(key.name() + ".sums");
        assertThat(sums).doesNotExist();
        segments().writeSums(key, 0, new long[]{1, 2, 3});
        segments().writeSums(key, 1, new long[1000]);
        assertThat(sums).hasSize(24);
        long[] read = new long[5];
        segments().readSums(key, 0, read);
        assertThat(read).containsExactly(1, 0, 0, 0, 0);
    }

    @Test
    void aDirectoryWithOtherFilesOrOfOtherUsersIsRefused() throws Exception {
        Path other = Files.createDirectory(directory.path().resolve("server"));
        Files.createFile(other.resolve("file"));
        assertThatThrownBy(this::server).isInstanceOf(StageException.class).hasMessageContaining("not empty");
        Files.delete(other.resolve("file"));
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(this::server).isInstanceOf(StageException.class).hasMessageContaining("others can write");
        Files.delete(other);
        Path real = Files.createDirectory(directory.path().resolve("real"));
        Files.createSymbolicLink(other, real);
        assertThatThrownBy(this::server).isInstanceOf(StageException.class);
    }

    @Test
    void theDirectoryOfAnotherServerIsNotTaken() throws Exception {
        StageServer other = new StageServer("job", "d1", "node7", UUID.randomUUID(), server().directory(), "");
        assertThatThrownBy(() -> LocalSegments.open(Linux.calls(), other)).isInstanceOf(StageException.class)
                .hasMessageContaining("d1 (node7:")
                .hasMessageContaining("another directory there than node7");
        Files.writeString(directory.path().resolve("server/treehaul-stage"), "treehaul-stage 9 x\n");
        assertThatThrownBy(this::server).hasMessageContaining("version 9");
    }

    @Test
    void aSymbolicLinkInPlaceOfASegmentIsNotFollowed() throws Exception {
        Path outside = Files.writeString(directory.path().resolve("outside"), "secret");
        segments();
        Files.createSymbolicLink(directory.path().resolve("server").resolve(key.name()), outside);
        assertThatThrownBy(() -> segments().write(key, List.of(bytes(3)))).isInstanceOf(StageException.class);
        assertThatThrownBy(() -> segments().read(key, List.of(bytes(3)))).isInstanceOf(StageException.class);
        assertThat(outside).hasContent("secret");
    }

    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"OPENAT", "PWRITE", "PREAD", "FTRUNCATE", "FSYNC", "RENAMEAT2", "UNLINKAT"})
    void aFailedCallIsReportedWithItsErrorAndLeavesNoDescriptorOpen(Call call) throws Exception {
        segments().create(key);
        segments().writeSums(key, 0, new long[]{1});
        FaultInjectingCalls faulty = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(call).named(key.name()).fails(Errno.ENOSPC));
        Segments failing = open(faulty);
        int before = faulty.openDescriptors().size();
        assertThatThrownBy(() -> {
            switch (call) {
                case OPENAT, PWRITE -> failing.write(key, List.of(bytes(3)));
                case PREAD -> failing.read(key, List.of(bytes(3)));
                case FTRUNCATE -> failing.truncate(key, 3);
                case FSYNC -> failing.sync(key);
                case RENAMEAT2 -> failing.advance(key, 2);
                default -> failing.remove(key);
            }
        }).isInstanceOfSatisfying(StageException.class, e -> {
            assertThat(e.errno()).isEqualTo(Errno.ENOSPC);
            assertThat(e.subject()).contains(key.name(), "d1 (node1:" + path + ")");
        });
        assertThat(faulty.openDescriptors()).hasSize(before);
    }

    @Test
    void shortReadsAndWritesAreContinued() throws Exception {
        Segments slow = open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PREAD, Call.PWRITE).atMost(3)));
        slow.create(key);
        slow.write(key, List.of(bytes(10)));
        MemorySegment back = Arena.ofAuto().allocate(12);
        assertThat(slow.read(key, List.of(new SegmentPart(0, back)))).isEqualTo(10);
        assertThat(back.asSlice(0, 10).mismatch(bytes(10).bytes())).isEqualTo(-1);
    }

    @Test
    void aChangeOfTheGenerationThatFailedHalfwayIsCompletedWhenItIsRepeated() throws Exception {
        segments().create(key);
        segments().write(key, List.of(bytes(5)));
        segments().writeSums(key, 0, new long[]{9});
        Segments failing = open(
                FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.RENAMEAT2).nth(2).fails(Errno.EIO)));
        assertThatThrownBy(() -> failing.advance(key, 2)).isInstanceOf(StageException.class);
        failing.advance(key, 2);
        long[] sums = new long[1];
        failing.readSums(key.in(2), 0, sums);
        assertThat(sums).containsExactly(9);
        assertThat(failing.size(key.in(2))).isEqualTo(5);
    }

    @Test
    void noClientOfTheEarlierGenerationChangesDataWhoseChecksumsHaveTheNextOne() throws Exception {
        for (int failing = 1; failing <= 2; failing++) {
            SegmentKey one = new SegmentKey(UUID.randomUUID(), 1, 0);
            segments().create(one);
            segments().write(one, List.of(bytes(5)));
            segments().writeSums(one, 0, new long[]{9});
            Segments halfway = open(
                    FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.RENAMEAT2).nth(failing).fails(Errno.EIO)));
            assertThatThrownBy(() -> halfway.advance(one, 2)).isInstanceOf(StageException.class);
            boolean isWritten = true;
            try {
                segments().writeSums(one, 0, new long[1]);
                segments().write(one, List.of(bytes(3)));
            } catch (StageException e) {
                assertThat(e.errno()).isEqualTo(Errno.ESTALE);
                isWritten = false;
            }
            segments().advance(one, 2);
            long[] sums = new long[1];
            segments().readSums(one.in(2), 0, sums);
            assertThat(sums).as("failure %d", failing).containsExactly(isWritten ? 0 : 9);
        }
    }

    @Test
    void growingWorksWhereSpaceCannotBeAllocated() throws Exception {
        Segments old = open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.FALLOCATE).fails(Errno.EOPNOTSUPP)));
        old.create(key);
        old.grow(key, 9);
        assertThat(old.size(key)).isEqualTo(9);
    }

    @Test
    void operationsAfterClosingFail() throws Exception {
        segments().create(key);
        segments().close();
        segments().close();
        assertThatThrownBy(() -> segments().size(key)).hasMessageContaining("closed");
    }

    @Test
    void namesOfSegmentsAreTheSameInEveryLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertThat(new SegmentKey(new UUID(-2, 10), 12, 345).name())
                    .isEqualTo("fffffffffffffffe000000000000000a.12.345");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void namesOfSegmentsAreReadBackAndNothingElseIs() {
        assertThat(SegmentKey.parse(key.name())).contains(key);
        SegmentKey odd = new SegmentKey(new UUID(0, -1), Long.MAX_VALUE, 4095);
        assertThat(SegmentKey.parse(odd.name())).contains(odd);
        for (String other : List.of("", "..", "../" + key.name(), key.name() + ".sums", key.name() + "/x",
                key.name().replace(".1.", ".0."), "0".repeat(32) + ".1.4096", "0".repeat(32) + ".9999999999999999999.0",
                key.name().toUpperCase(Locale.ROOT) + " ")) {
            assertThat(SegmentKey.parse(other)).as(other).isEmpty();
        }
    }
}
