// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDWR;
import static org.treehaul.core.fs.LinuxConstants.SEEK_SET;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

class FileAccessTest {

    private final TestDirectory place = TestDirectory.make();

    @AfterEach
    void delete() {
        place.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private int openFile(FileAccess access, String name) throws SystemCallException {
        return access.open(AT_FDCWD, access.name(bytes(place.resolve(name).toString())), O_RDWR | O_CREAT, 0644);
    }

    private static void assertFails(ThrowingCallable call, String operation, int errno) {
        assertThatThrownBy(call).isInstanceOfSatisfying(SystemCallException.class, failure -> {
            assertThat(failure.operation()).isEqualTo(operation);
            assertThat(failure.errno()).isEqualTo(errno);
        });
    }

    @Test
    void interruptedCallsAreRepeated() throws SystemCallException {
        for (Call call : new Call[]{Call.OPENAT, Call.READ, Call.WRITE, Call.PREAD, Call.PWRITE, Call.STATX}) {
            FaultInjectingCalls interrupted = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(call).times(3).fails(Errno.EINTR));
            try (FileAccess access = FileAccess.open(interrupted)) {
                int f = openFile(access, "f");
                MemorySegment four = access.buffer().asSlice(0, 4);
                access.writeFully(f, four);
                access.writeFully(f, four, 4);
                assertThat(interrupted.lseek(f, 0, SEEK_SET)).isZero();
                assertThat(access.readFully(f, four)).isEqualTo(4);
                assertThat(access.readFully(f, four, 4)).isEqualTo(4);
                assertThat(access.status(f).size()).isEqualTo(8);
                access.close(f);
                assertThat(interrupted.count(call)).as("%s", call).isGreaterThan(3);
            }
            assertThat(interrupted.openDescriptors()).isEmpty();
        }
    }

    @Test
    void aStatusThatWasSeenIsKnownToBeOverwritten() throws SystemCallException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            MemorySegment top = access.name(bytes("/"));
            int descriptor = access.openDirectory(AT_FDCWD, top);
            List<ToLongFunction<Integer>> others = List.of(access::fileSystemType, access::fileSystemId);
            for (ToLongFunction<Integer> other : others) {
                long seen = access.seen().see(AT_FDCWD, top);
                assertThat(access.seen().isCurrent(seen)).isTrue();
                assertThat(other.applyAsLong(descriptor)).isEqualTo(other.applyAsLong(descriptor));
                assertThat(access.seen().isCurrent(seen)).isFalse();
            }
            long seen = access.seen().see(AT_FDCWD, top);
            access.room(descriptor);
            assertThat(access.seen().isCurrent(seen)).isFalse();
            access.close(descriptor);
        }
    }

    @Test
    void onlyARegularFileIsWaitedFor() throws SystemCallException {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), place.path())) {
            writer.special(ByteString.of("p"), EntryKind.FIFO, 0).file(ByteString.of("f"), 1, 1);
        }
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("p").nth(1).fails(Errno.EAGAIN),
                Fault.on(Call.OPENAT).named("f").nth(1).fails(Errno.EAGAIN));
        try (FileAccess access = FileAccess.open(calls)) {
            // Opening a FIFO for reading and writing does not wait, in case the test fails.
            int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK;
            byte[] fifo = bytes(place.resolve("p").toString());
            assertThat(access.tryOpen(AT_FDCWD, access.name(fifo), flags, 0)).isEqualTo(-Errno.EAGAIN);
            byte[] file = bytes(place.resolve("f").toString());
            access.close(access.open(AT_FDCWD, access.name(file), flags, 0));
        }
        assertThat(calls.openDescriptors()).isEmpty();
    }

    @Test
    void shortReadsAndWritesAreContinued() throws SystemCallException {
        byte[] content = new byte[10_000];
        new Random(1).nextBytes(content);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.READ, Call.WRITE, Call.PREAD, Call.PWRITE).atMost(997));
        try (FileAccess access = FileAccess.open(calls)) {
            MemorySegment buffer = access.buffer().asSlice(0, content.length);
            int f = openFile(access, "f");
            buffer.copyFrom(MemorySegment.ofArray(content));
            access.writeFully(f, buffer);
            access.writeFully(f, buffer, content.length);
            buffer.fill((byte) 0);
            assertThat(calls.lseek(f, 0, SEEK_SET)).isZero();
            assertThat(access.readFully(f, buffer)).isEqualTo(content.length);
            assertThat(buffer.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
            buffer.fill((byte) 0);
            assertThat(access.readFully(f, buffer, content.length)).isEqualTo(content.length);
            assertThat(buffer.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
            assertThat(access.readFully(f, buffer, 2L * content.length - 10)).as("up to the end").isEqualTo(10);
            access.close(f);
        }
    }

    @Test
    void errorsAfterPartOfTheDataAreThrown() throws SystemCallException {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.WRITE, Call.PWRITE).atMost(10), Fault.on(Call.WRITE).nth(3).fails(Errno.ENOSPC),
                Fault.on(Call.PWRITE).nth(2).returns(0), Fault.on(Call.READ).fails(Errno.EIO),
                Fault.on(Call.PREAD).fails(Errno.ESTALE));
        try (FileAccess access = FileAccess.open(calls)) {
            int f = openFile(access, "f");
            MemorySegment buffer = access.buffer().asSlice(0, 100);
            assertFails(() -> access.writeFully(f, buffer), "write", Errno.ENOSPC);
            assertFails(() -> access.writeFully(f, buffer, 0), "write", Errno.EIO);
            assertFails(() -> access.readFully(f, buffer), "read", Errno.EIO);
            assertFails(() -> access.readFully(f, buffer, 0), "read", Errno.ESTALE);
            access.close(f);
        }
    }

    @Test
    void closeIsNotRepeatedAfterAnInterrupt() throws SystemCallException {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.CLOSE).fails(Errno.EINTR));
        try (FileAccess access = FileAccess.open(calls)) {
            access.close(openFile(access, "f"));
            assertThat(calls.count(Call.CLOSE)).isEqualTo(1);
            assertThat(calls.openDescriptors()).isEmpty();
        }
    }

    @Test
    void errorOfCloseIsThrownAndTheFileClosed() throws SystemCallException {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.CLOSE).fails(Errno.EDQUOT));
        try (FileAccess access = FileAccess.open(calls)) {
            int f = openFile(access, "f");
            assertFails(() -> access.close(f), "close", Errno.EDQUOT);
            assertThat(calls.openDescriptors()).isEmpty();
            access.closeQuietly(openFile(access, "f"));
            assertThat(calls.openDescriptors()).isEmpty();
        }
    }

    @Test
    void statusDistinguishesLinksFromTheirTargets() throws Exception {
        Files.writeString(place.resolve("f"), "data");
        Files.createSymbolicLink(place.resolve("link"), place.resolve("f").getFileName());
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int directory = access.open(AT_FDCWD, access.name(bytes(place.path().toString())), O_DIRECTORY, 0);
            FileStatus link = access.status(directory, access.name(bytes("link")));
            assertThat(link.kind()).isEqualTo(EntryKind.SYMLINK);
            assertThat(access.linkTarget(directory, access.name(bytes("link")))).isEqualTo(ByteString.of("f"));
            FileStatus file = access.followedStatus(directory, access.name(bytes("link")));
            assertThat(file.size()).isEqualTo(4);
            assertThat(file.isSameFile(access.status(directory, access.otherName(bytes("f"))))).isTrue();
            assertThat(file.isUnchangedSince(access.status(directory, access.name(bytes("f"))))).isTrue();
            assertThat(file.isSameFile(link)).isFalse();
            assertFails(() -> access.status(directory, access.name(bytes("none"))), "stat", Errno.ENOENT);
            assertThatThrownBy(() -> access.openDirectory(directory, access.name(bytes("link"))))
                    .isInstanceOf(SystemCallException.class);
            access.close(directory);
        }
    }

    @Test
    void namesBeyondPathMaxAreRefused() throws SystemCallException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            assertThat(access.name(new byte[4095]).byteSize()).isEqualTo(4096);
            assertThatThrownBy(() -> access.name(new byte[4096])).isInstanceOfSatisfying(SystemCallException.class,
                    failure -> assertThat(failure.errno()).isEqualTo(Errno.ENAMETOOLONG));
        }
    }

    @Test
    void timesOfAStatusCanBePutBack() throws SystemCallException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int f = openFile(access, "f");
            int g = openFile(access, "g");
            FileAccess.check("futimens", access.calls().futimens(g, access.times(access.status(f))));
            assertThat(access.status(g).mtime()).isEqualTo(access.status(f).mtime());
            assertThat(access.status(g).atime()).isEqualTo(access.status(f).atime());
            access.close(f);
            access.close(g);
        }
    }
}
