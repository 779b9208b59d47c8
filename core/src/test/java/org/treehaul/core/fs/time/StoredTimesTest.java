// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.copy.FileSystemTypes;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;

/** A copy has the time of its source, as far as its file system stores it. */
class StoredTimesTest {

    private static final MemorySegment ROOT = Arena.global().allocateFrom("/");
    private static final int REGULAR = 0100644;
    private static final int SYMLINK = 0120777;
    private static final int FINE = 123_456_789;

    private static FileStatus status(int mode, long device, long mtime, int nanos, int ctimeNanos) {
        return new FileStatus(mode, 0, 0, 1, 5, device, 0, 10, 8, 0, 0, mtime, nanos, 9, ctimeNanos, false, 0, 0);
    }

    private static boolean hasTime(FileSystemCalls calls, FileStatus copy) {
        try (FileAccess access = FileAccess.open(calls)) {
            return new StoredTimes(access).hasTime(copy, AT_FDCWD, ROOT, new Timestamp(1_001, FINE));
        }
    }

    @ParameterizedTest
    @CsvSource({"123456789, true", "123456700, false", "0, false"})
    void aFileSystemWithNanosecondsStoresTheExactTime(int nanos, boolean has) {
        assertThat(hasTime(Linux.calls(), status(REGULAR, 1, 1_001, nanos, 5))).isEqualTo(has);
    }

    @ParameterizedTest
    @CsvSource({"123456700, 100, true", "123456000, 1000, true", "120000000, 10000000, true", "0, 0, true",
            "123456800, 100, false", "123456000, 100, false"})
    void aTimeIsRoundedDownToTheUnitThatAllTimesOfTheCopyShow(int nanos, int ctimeNanos, boolean has) {
        assertThat(hasTime(Linux.calls(), status(REGULAR, 1, 1_001, nanos, ctimeNanos))).isEqualTo(has);
    }

    @ParameterizedTest
    @CsvSource({"1000, 0, true", "1000, 5, false", "1001, 0, true", "1002, 0, false", "998, 0, false"})
    void onlyFatRoundsToTwoSeconds(long seconds, int nanos, boolean hasOnFat) {
        FileStatus copy = status(REGULAR, 1, seconds, nanos, 0);
        assertThat(hasTime(FileSystemTypes.saying(FileSystemTypes.FAT), copy)).isEqualTo(hasOnFat);
        assertThat(hasTime(FileSystemTypes.saying(FileSystemTypes.TMPFS), copy)).isEqualTo(hasOnFat && seconds == 1001);
    }

    @Test
    void timesBefore1970AreRoundedDownToo() {
        assertThat(TimePrecision.TWO_SECONDS.cut(new Timestamp(-1, FINE))).isEqualTo(new Timestamp(-2, 0));
        assertThat(TimePrecision.TWO_SECONDS.cut(new Timestamp(-4, 0))).isEqualTo(new Timestamp(-4, 0));
    }

    @Test
    void theTypeOfAFileSystemIsReadOnceAndOnlyIfATimeMayBeThatOfFat() {
        FaultInjectingCalls calls = FaultInjectingCalls.over(FileSystemTypes.saying(FileSystemTypes.FAT));
        try (FileAccess access = FileAccess.open(calls)) {
            StoredTimes times = new StoredTimes(access);
            FileStatus source = status(REGULAR, 9, 1_001, FINE, 5);
            assertThat(times.isNewer(source, status(REGULAR, 1, 1_003, 0, 0), AT_FDCWD, ROOT)).isFalse();
            assertThat(times.isNewer(source, status(REGULAR, 1, 999, 0, 0), AT_FDCWD, ROOT)).isTrue();
            assertThat(times.isNewer(source, status(SYMLINK, 1, 1_000, 0, 0), AT_FDCWD, ROOT)).isTrue();
            assertThat(calls.count(Call.FSTATFS)).isZero();
            for (int i = 0; i < 3; i++) {
                assertThat(times.isNewer(source, status(REGULAR, 1, 1_000, 0, 0), AT_FDCWD, ROOT)).isFalse();
            }
            assertThat(calls.count(Call.FSTATFS)).isOne();
            assertThat(times.isNewer(source, status(REGULAR, 2, 1_000, 0, 0), AT_FDCWD, ROOT)).isFalse();
            assertThat(calls.count(Call.FSTATFS)).isEqualTo(2);
        }
        assertThat(calls.openDescriptors()).isEmpty();
    }

    @Test
    void aFileThatVanishedSaysNothingAboutTheFileSystem() {
        FaultInjectingCalls calls = FaultInjectingCalls.over(FileSystemTypes.saying(FileSystemTypes.FAT),
                Fault.on(Call.OPENAT).nth(1).fails(Errno.ENOENT));
        try (FileAccess access = FileAccess.open(calls)) {
            StoredTimes times = new StoredTimes(access);
            FileStatus copy = status(REGULAR, 1, 1_000, 0, 0);
            Timestamp source = new Timestamp(1_001, FINE);
            assertThat(times.hasTime(copy, AT_FDCWD, ROOT, source)).isFalse();
            assertThat(times.hasTime(copy, AT_FDCWD, ROOT, source)).isTrue();
        }
    }
}
