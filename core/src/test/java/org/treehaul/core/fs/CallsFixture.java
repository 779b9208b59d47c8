// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDWR;
import static org.treehaul.core.fs.LinuxConstants.STATX_BASIC_STATS;
import static org.treehaul.core.fs.LinuxConstants.STATX_BTIME;
import static org.treehaul.core.fs.LinuxConstants.STATX_SIZE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

/** A temporary directory, memory, and helper methods for the contract of {@link FileSystemCalls}. */
public abstract class CallsFixture {

    /** A number that no open file has: the limit on descriptors is far lower. */
    protected static final int BAD = 1 << 30;

    protected final Arena arena = Arena.ofConfined();
    protected FileSystemCalls calls;
    protected int directory;
    private TestDirectory place;

    /** Returns the implementation under test: by default that of Linux. */
    protected FileSystemCalls implementation() {
        return Linux.calls();
    }

    /** Returns the directory for the test: by default where temporary files are. */
    protected TestDirectory place() {
        return TestDirectory.make();
    }

    @BeforeEach
    void openDirectory() {
        calls = implementation();
        place = place();
        directory = opened(calls.openat(AT_FDCWD, name(place.path().toString()), O_DIRECTORY, 0));
    }

    @AfterEach
    void deleteDirectory() {
        if (place != null) {
            assertThat(calls.close(directory)).isZero();
            place.close();
        }
        arena.close();
    }

    /** Returns the name in UTF-8 with its NUL. */
    protected MemorySegment name(String text) {
        return arena.allocateFrom(text);
    }

    /** Returns the bytes with a NUL after them. */
    protected MemorySegment name(ByteString bytes) {
        MemorySegment segment = arena.allocate(bytes.length() + 1L);
        MemorySegment.copy(bytes.toBytes(), 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length());
        return segment;
    }

    /** Returns the bytes of the text without a NUL, as the content of a file or the value of an attribute. */
    protected MemorySegment data(String text) {
        return arena.allocateFrom(text, StandardCharsets.UTF_8)
                .asSlice(0, text.getBytes(StandardCharsets.UTF_8).length);
    }

    protected MemorySegment memory(long bytes) {
        return arena.allocate(bytes, 8);
    }

    protected static String text(MemorySegment segment, long length) {
        return new String(segment.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** Returns the descriptor after checking that it is one. */
    protected static int opened(int descriptor) {
        assertThat(descriptor).as("descriptor").isNotNegative();
        return descriptor;
    }

    /** Creates a file with this content and returns it open for reading and writing, at its end. */
    protected int file(String fileName, String content) {
        int descriptor = opened(calls.openat(directory, name(fileName), O_RDWR | O_CREAT, 0644));
        if (!content.isEmpty()) {
            MemorySegment bytes = data(content);
            assertThat(calls.write(descriptor, bytes)).isEqualTo(bytes.byteSize());
        }
        return descriptor;
    }

    /** Creates a file with this content. */
    protected void closedFile(String fileName, String content) {
        assertThat(calls.close(file(fileName, content))).isZero();
    }

    /**
     * Creates a FIFO and returns it open for reading and writing, for which Linux does not wait for another process.
     */
    protected int fifo() {
        assertThat(calls.mknodat(directory, name("fifo"), EntryKind.FIFO.typeBits() | 0600, 0)).isZero();
        return opened(calls.openat(directory, name("fifo"), O_RDWR | O_NONBLOCK, 0));
    }

    /** Returns the status of a name; for a symbolic link, that of the link itself. */
    protected FileStatus status(String fileName) {
        MemorySegment result = memory(STATX_SIZE);
        int mask = STATX_BASIC_STATS | STATX_BTIME;
        assertThat(calls.statx(directory, name(fileName), AT_SYMLINK_NOFOLLOW, mask, result)).isZero();
        return new StatxLayout().read(result);
    }

    /** Returns the path of a name in the directory, for calls without a directory argument. */
    protected MemorySegment path(String fileName) {
        return name("/proc/self/fd/" + directory + "/" + fileName);
    }
}
