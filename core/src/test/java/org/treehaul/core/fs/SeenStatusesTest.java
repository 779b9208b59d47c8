// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

class SeenStatusesTest {

    // The names one after another, and where each begins.
    private static final byte[] NAMES = "file\0two\0link\0none".getBytes(StandardCharsets.US_ASCII);
    private static final int[] STARTS = {0, 5, 9, 14};
    private static final int FILE = 0;
    private static final int TWO = 1;
    private static final int LINK = 2;
    private static final int NONE = 3;

    private final TestDirectory place = TestDirectory.onTmpfs();

    @BeforeEach
    void create() throws IOException {
        Files.write(place.resolve("file"), new byte[5000]);
        Files.write(place.resolve("two"), new byte[7]);
        Files.createLink(place.resolve("other"), place.resolve("two"));
        Files.createSymbolicLink(place.resolve("link"), place.resolve("none"));
    }

    @AfterEach
    void delete() {
        place.close();
    }

    private int open(FileAccess access) throws SystemCallException {
        return access.openDirectory(LinuxConstants.AT_FDCWD, access.name(ByteString.of(place.path()).toBytes()));
    }

    @Test
    void statusesReadTogetherAreThoseThatAreReadAlone() throws SystemCallException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int directory = open(access);
            SeenStatuses statuses = access.seen();
            MemorySegment names = access.otherName(NAMES);
            statuses.readAhead(directory, names, NAMES, STARTS, STARTS.length);
            for (int i : new int[]{LINK, FILE, TWO}) {
                long number = statuses.select(i);
                assertThat(number).isPositive();
                assertThat(statuses.isCurrent(number)).isTrue();
                var together = statuses.status();
                EntryKind kind = statuses.kind();
                long size = statuses.size();
                long links = statuses.linkCount();
                long blocks = statuses.blocks();
                long mtime = statuses.mtime();
                long alone = statuses.see(directory, names.asSlice(STARTS[i]));
                assertThat(statuses.isCurrent(number)).isFalse();
                assertThat(statuses.isCurrent(alone)).isTrue();
                assertThat(statuses.status()).isEqualTo(together).isEqualTo(statuses.status(i));
                assertThat(kind).isEqualTo(statuses.kind());
                assertThat(size).isEqualTo(statuses.size()).isEqualTo(statuses.size(i));
                assertThat(blocks).isEqualTo(statuses.blocks()).isEqualTo(statuses.blocks(i));
                assertThat(links).isEqualTo(statuses.linkCount());
                assertThat(mtime).isEqualTo(statuses.mtime());
            }
            access.close(directory);
        }
    }

    @Test
    void onlyARegularFileWithOneNameIsOne() throws SystemCallException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int directory = open(access);
            access.seen().readAhead(directory, access.otherName(NAMES), NAMES, STARTS, STARTS.length);
            assertThat(access.seen().isFileWithOneName(FILE)).isTrue();
            assertThat(access.seen().isFileWithOneName(TWO)).isFalse();
            assertThat(access.seen().isFileWithOneName(LINK)).isFalse();
            assertThat(access.seen().isFileWithOneName(NONE)).isFalse();
            access.close(directory);
        }
    }

    @Test
    void aStatusThatCouldNotBeReadIsReadAgainByItself() throws SystemCallException {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.STATX).named("file").nth(1).fails(Errno.EACCES));
        try (FileAccess access = FileAccess.open(calls)) {
            int directory = open(access);
            SeenStatuses statuses = access.seen();
            MemorySegment names = access.otherName(NAMES);
            statuses.readAhead(directory, names, NAMES, STARTS, STARTS.length);
            assertThat(statuses.select(FILE)).isZero();
            assertThat(statuses.isCurrent(statuses.see(directory, names))).isTrue();
            assertThat(statuses.size()).isEqualTo(5000);
            assertThat(statuses.select(NONE)).isZero();
            assertThatExceptionOfType(SystemCallException.class)
                    .isThrownBy(() -> statuses.see(directory, names.asSlice(STARTS[NONE])))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
            access.close(directory);
        }
    }

    @Test
    void filesAreAlikeIfTheFieldsToCompareAreEqual() throws SystemCallException, IOException {
        for (String name : new String[]{"a", "b"}) {
            Path file = Files.createDirectory(place.resolve(name)).resolve("file");
            Files.write(file, new byte[name.charAt(0)]);
            Files.write(file.resolveSibling("two"), new byte[9]);
            Files.setLastModifiedTime(file.resolveSibling("two"), FileTime.fromMillis(name.charAt(0)));
            Files.createSymbolicLink(file.resolveSibling("link"), file);
        }
        Files.setPosixFilePermissions(place.resolve("b/two"), Set.of(PosixFilePermission.OWNER_READ));
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int a = access.openDirectory(LinuxConstants.AT_FDCWD, access.name(bytes("a")));
            int b = access.openDirectory(LinuxConstants.AT_FDCWD, access.name(bytes("b")));
            SeenStatuses seen = access.seen();
            SeenStatuses other = access.otherSeen();
            seen.readAhead(a, access.otherName(NAMES), NAMES, STARTS, STARTS.length);
            seen.readAlso(b, other, STARTS.length);
            SeenStatuses.Fields fields = new SeenStatuses.Fields();
            fields.addOwner();
            fields.addGroup();
            assertThat(seen.isLike(FILE, other, fields)).as("size").isFalse();
            assertThat(seen.isLike(TWO, other, fields)).isTrue();
            assertThat(seen.isLike(LINK, other, fields)).as("not regular").isFalse();
            assertThat(seen.isLike(NONE, other, fields)).as("absent").isFalse();
            SeenStatuses.Fields times = new SeenStatuses.Fields();
            times.addMtime();
            assertThat(seen.isLike(TWO, other, times)).isFalse();
            fields.addPermissions();
            assertThat(seen.isLike(TWO, other, fields)).isFalse();
            assertThat(seen.isSameFile(TWO, other)).isFalse();
            assertThat(seen.name(TWO).getString(0)).isEqualTo("two");
            assertThat(seen.nameStart(TWO)).isEqualTo(STARTS[TWO]);
            assertThat(seen.copyOfName(TWO)).asString().isEqualTo("two");
            assertThat(seen.nameString(TWO)).isEqualTo(ByteString.of("two"));
            seen.readAlso(a, other, STARTS.length);
            assertThat(seen.isSameFile(TWO, other)).isTrue();
            access.close(a);
            access.close(b);
        }
    }

    private byte[] bytes(String name) {
        return ByteString.of(place.resolve(name).toString()).toBytes();
    }

    @Test
    void theStatusOfAnOpenFileTakesThePlaceOfThatOfItsName() throws SystemCallException, IOException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int directory = open(access);
            SeenStatuses statuses = access.seen();
            statuses.takeAhead(access.otherName(NAMES), NAMES, STARTS, STARTS.length);
            assertThat(statuses.select(FILE)).isZero();
            assertThat(statuses.isFileWithOneName(FILE)).isFalse();
            int file = access.open(directory, statuses.name(FILE), LinuxConstants.O_RDONLY, 0);
            assertThat(statuses.readAt(FILE, file)).isTrue();
            assertThat(statuses.isFileWithOneName(FILE)).isTrue();
            assertThat(statuses.size(FILE)).isEqualTo(5000);
            assertThat(statuses.device(FILE)).isEqualTo(access.status(file).device());
            assertThat(statuses.select(FILE)).isPositive();
            assertThat(statuses.status()).isEqualTo(access.status(file));
            assertThat(statuses.isUnchanged(file, FILE)).isTrue();
            Files.write(place.resolve("file"), new byte[5001]);
            assertThat(statuses.isUnchanged(file, FILE)).isFalse();
            access.close(file);
            assertThat(statuses.readAt(TWO, file)).isFalse();
            assertThat(statuses.select(TWO)).isZero();
            access.close(directory);
        }
    }

    @Test
    void aSlowFileSystemIsAskedForOneStatusAtATimeAndAFastOneForMany() throws SystemCallException {
        boolean[] isSlow = {true};
        FileSystemCalls calls = new InterceptedCalls(Linux.calls()) {
            @Override
            protected long around(Call call, int descriptor, MemorySegment name, java.util.function.LongSupplier made) {
                if (call == Call.STATX && isSlow[0]) {
                    LockSupport.parkNanos(5_000_000);
                }
                return made.getAsLong();
            }
        };
        try (FileAccess access = FileAccess.open(calls)) {
            int directory = open(access);
            SeenStatuses statuses = access.seen();
            MemorySegment names = access.otherName(NAMES);
            assertThat(statuses.most()).isGreaterThan(1);
            do {
                // Parking may end at once.
                statuses.readAhead(directory, names, NAMES, STARTS, 2);
            } while (statuses.most() > 1);
            isSlow[0] = false;
            while (statuses.most() < SeenStatuses.MOST) {
                statuses.readAhead(directory, names, NAMES, STARTS, Math.min(STARTS.length, statuses.most()));
            }
            access.close(directory);
        }
    }

    // A server of NFS or 9P may answer with any 32 bits.
    @Test
    void nanosecondsThatNoTimeHasAreTheLastOnesOfTheSecond() throws SystemCallException {
        FileSystemCalls broken = (FileSystemCalls) Proxy.newProxyInstance(FileSystemCalls.class.getClassLoader(),
                new Class<?>[]{FileSystemCalls.class}, (proxy, method, arguments) -> {
                    Object result = method.invoke(Linux.calls(), arguments);
                    boolean isEach = method.getName().equals("statxEach");
                    if (isEach || method.getName().equals("statx")) {
                        MemorySegment statuses = (MemorySegment) arguments[isEach ? 6 : 4];
                        for (int status = 0; status < (isEach ? (int) arguments[3] : 1); status++) {
                            // The nanoseconds of the four times of struct statx.
                            for (int time = 72; time < 128; time += 16) {
                                statuses.set(ValueLayout.JAVA_INT, status * LinuxConstants.STATX_SIZE + time, -1);
                            }
                        }
                    }
                    return result;
                });
        try (FileAccess access = FileAccess.open(broken)) {
            int directory = open(access);
            FileStatus alone = access.status(directory);
            assertThat(List.of(alone.atime(), alone.mtime(), alone.ctime())).extracting(Timestamp::nanos)
                    .containsOnly(999_999_999);
            SeenStatuses statuses = access.seen();
            statuses.see(directory, access.name("file".getBytes(StandardCharsets.US_ASCII)));
            assertThat(Timestamp.ofNanos(statuses.mtime()).nanos()).isEqualTo(999_999_999);
            statuses.readAhead(directory, access.otherName(NAMES), NAMES, STARTS, STARTS.length);
            assertThat(statuses.mtimeNanos(FILE)).isEqualTo(999_999_999);
            assertThat(statuses.ctimeNanos(FILE)).isEqualTo(999_999_999);
            assertThat(statuses.status(FILE).mtime().nanos()).isEqualTo(999_999_999);
            access.close(directory);
        }
    }
}
