// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.O_RDWR;
import static org.treehaul.core.fs.LinuxConstants.SEEK_SET;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

/** The contract of files, checked for each store. */
class FilesTest {

    /** Files on a tmpfs, by these calls. */
    abstract static class PosixFiles extends OffsetContract {
        private final TestDirectory place = TestDirectory.onTmpfs();
        private final FileAccess access;
        private final Deque<Integer> open = new ArrayDeque<>();
        private int files;

        PosixFiles(FileSystemCalls calls) {
            access = FileAccess.open(calls);
        }

        private PosixFile open(String path, int flags) throws SystemCallException {
            int descriptor = access.open(AT_FDCWD, access.name(path.getBytes(StandardCharsets.UTF_8)), flags, 0600);
            open.push(descriptor);
            return new PosixFile(access, descriptor);
        }

        @Override
        protected TargetFile target() throws SystemCallException {
            return open(place.path() + "/f" + files++, O_RDWR | O_CREAT | O_EXCL);
        }

        @Override
        protected SourceFile source(TargetFile written) throws SystemCallException {
            return open("/proc/self/fd/" + ((PosixFile) written).descriptor(), O_RDONLY);
        }

        @Override
        protected TargetFile forOtherThread(TargetFile file) {
            return file;
        }

        @Override
        protected boolean clones() {
            return false;
        }

        @Override
        protected boolean locates() {
            return false;
        }

        @AfterEach
        void remove() {
            open.forEach(access::closeQuietly);
            access.close();
            place.close();
        }
    }

    @Nested
    class OnTmpfs extends PosixFiles {
        OnTmpfs() {
            super(Linux.calls());
        }
    }

    @Nested
    class OnAPlainFileSystem extends PosixFiles {
        OnAPlainFileSystem() {
            super(new PlainCalls());
        }

        @Override
        protected boolean findsHoles() {
            return false;
        }

        @Override
        protected boolean offloads() {
            return false;
        }
    }

    @Nested
    class InAMap extends OffsetContract {
        @Override
        protected TargetFile target() {
            return new MapFile(new MapFile.Content(EntryKind.REGULAR.typeBits() | 0600));
        }

        @Override
        protected SourceFile source(TargetFile written) {
            return new MapFile(((MapFile) written).content());
        }

        @Override
        protected TargetFile forOtherThread(TargetFile file) {
            return file;
        }

        @Override
        protected boolean clones() {
            return true;
        }
    }

    @Nested
    class InAnAsynchronousMap extends InAMap {
        @Override
        protected TargetFile target() {
            return new AsyncMapFile(new MapFile.Content(EntryKind.REGULAR.typeBits() | 0600));
        }
    }

    @Nested
    class InOrder extends OrderContract {
        @Override
        protected TargetFile target() {
            return new OrderedMapFile(new MapFile.Content(EntryKind.REGULAR.typeBits() | 0600));
        }

        @Override
        protected SourceFile source(TargetFile written) {
            return new MapFile(((MapFile) written).content());
        }

        @Override
        protected boolean clones() {
            return false;
        }
    }

    /** Calls on a file system that neither finds holes nor copies ranges. */
    private static final class PlainCalls extends InterceptedCalls {
        PlainCalls() {
            super(Linux.calls());
        }

        @Override
        protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
            return call == Call.COPY_FILE_RANGE ? -Errno.EXDEV : made.getAsLong();
        }

        @Override
        public long lseek(int descriptor, long offset, int whence) {
            return whence == SEEK_SET ? super.lseek(descriptor, offset, whence) : -Errno.EINVAL;
        }
    }
}
