// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.sync.SyncTrees.bytes;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.sync.Found.Mark;
import org.treehaul.core.walk.options.Root;

/** Directories that stay although the source does not have them. */
class RemovalListTest {

    private final SyncTrees trees = new SyncTrees();
    private final List<EntryFailure> failures = new ArrayList<>();

    @BeforeEach
    void fill() {
        trees.copy(w -> w.file(bytes("x/d/f"), 5, 1).file(bytes("x/g"), 5, 1).file(bytes("x/e/f"), 5, 1));
    }

    @AfterEach
    void remove() {
        trees.close();
    }

    private static FileStatus status(Path path) throws Exception {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return LongPath.status(access, bytes(path.toString()), false);
        }
    }

    private List<String> listed(FileSystemCalls calls, Path source) throws Exception {
        SyncPlace place = new SyncPlace(
                new CopyPair(Root.of(bytes(trees.source.toString())), bytes(trees.copy.toString())), Optional.empty(),
                true, status(source));
        Scope scope = new Scope(place.pair().source().path(), null, FileQuery.all());
        SyncOptions options = SyncOptions.defaults().withDeletion(SyncOptions.Deletion.BEFORE);
        List<String> paths = new ArrayList<>();
        try (Spool into = new Spool(trees.place.path())) {
            Found extra = new Found(TreePath.root().child(bytes("x").toBytes()), EntryKind.DIRECTORY, Mark.NONE,
                    Mark.of(status(trees.copy.resolve("x"))));
            assertThat(new RemovalList(calls, options, scope, place, failures::add).list(List.of(extra), into,
                    new Cancellation())).isTrue();
            into.forEachPortion(100, portion -> portion.forEach(one -> paths.add(one.path().toString())));
        }
        return paths;
    }

    private void assertStays(List<String> listed) {
        assertThat(listed).containsExactlyInAnyOrder("x/g", "x/e/f", "x/e");
        assertThat(failures).singleElement()
                .satisfies(failure -> assertThat(failure.path().toString()).isEqualTo("x/d"))
                .satisfies(failure -> assertThat(failure.errno()).isEqualTo(Errno.EBUSY));
    }

    // A mount of a directory of the destination shows it as a source outside.
    @Test
    void theSourceItselfIsNotRemoved() throws Exception {
        assertStays(listed(Linux.calls(), trees.copy.resolve("x/d")));
    }

    @Test
    void aMountPointOnTheSameFileSystemIsNotRemoved() throws Exception {
        assertStays(listed(new MountedAt(trees.copy.resolve("x/d")), trees.source));
    }

    /** Reports a directory as the root of a mount. */
    private static final class MountedAt extends InterceptedCalls {

        // Offsets in struct statx, and a flag (linux/stat.h).
        private static final int ATTRIBUTES = 8;
        private static final int ATTRIBUTES_MASK = 56;
        private static final long MOUNT_ROOT = 0x2000;

        private final Path place;

        MountedAt(Path place) {
            super(Linux.calls());
            this.place = place;
        }

        @Override
        protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
            return made.getAsLong();
        }

        @Override
        @SuppressWarnings("restricted")
        public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
            int returned = calls.statx(directory, name, flags, mask, result);
            if (directory >= 0 && name.reinterpret(1).get(ValueLayout.JAVA_BYTE, 0) == 0 && isMounted(directory)) {
                set(result, ATTRIBUTES);
                set(result, ATTRIBUTES_MASK);
            }
            return returned;
        }

        private boolean isMounted(int descriptor) {
            try {
                return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).equals(place);
            } catch (IOException e) {
                return false;
            }
        }

        private static void set(MemorySegment result, int offset) {
            long bits = result.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
            result.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, bits | MOUNT_ROOT);
        }
    }
}
