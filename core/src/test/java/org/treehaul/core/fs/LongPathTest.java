// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

class LongPathTest {

    private static final String NAME = "d".repeat(200);
    private static final int DEPTH = 50;

    private final TestDirectory place = TestDirectory.make();

    @AfterEach
    void delete() {
        place.close();
    }

    /** Returns the path of the deepest directory, longer than PATH_MAX, with a symbolic link to itself in it. */
    private ByteString deep() throws SystemCallException {
        StringBuilder path = new StringBuilder(NAME);
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), place.path())) {
            writer.directory(ByteString.of(NAME));
            for (int i = 1; i < DEPTH; i++) {
                path.append('/').append(NAME);
                writer.directory(ByteString.of(path.toString()));
            }
            writer.symlink(ByteString.of(path + "/l"), ByteString.of("."));
        }
        return ByteString.of(place.path() + "/" + path);
    }

    @Test
    void aPathOfAnyLengthIsOpenedAndExamined() throws SystemCallException {
        ByteString directory = deep();
        ByteString link = ByteString.of(directory + "/l");
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        try (FileAccess access = FileAccess.open(calls)) {
            assertThatThrownBy(() -> access.name(directory.toBytes())).isInstanceOf(SystemCallException.class);
            int descriptor = LongPath.open(access, directory, O_DIRECTORY);
            assertThat(LongPath.status(access, directory, false)).isEqualTo(access.status(descriptor));
            assertThat(access.status(descriptor, access.name("l".getBytes(StandardCharsets.US_ASCII)), true))
                    .isEqualTo(access.status(descriptor));
            access.close(descriptor);
            assertThat(LongPath.status(access, link, false).kind()).isEqualTo(EntryKind.SYMLINK);
            assertThat(LongPath.status(access, link, true)).isEqualTo(LongPath.status(access, directory, false));
            ByteString missing = ByteString.of(directory + "/m");
            assertThat(LongPath.find(access, missing, false)).isNull();
            assertThatThrownBy(() -> LongPath.status(access, missing, false)).isInstanceOfSatisfying(
                    SystemCallException.class, failure -> assertThat(failure.errno()).isEqualTo(Errno.ENOENT));
        }
        assertThat(calls.openDescriptors()).isEmpty();
    }

    @Test
    void slashesAtTheEndOfALongPathAreNotTheTopDirectory() throws SystemCallException {
        String directory = deep().toString();
        String start = directory.substring(0, directory.lastIndexOf('/', 3900));
        // A piece ends at the first slash of those at the end.
        String path = start + "/.".repeat((4000 - start.length()) / 2);
        path += "/".repeat(4001 - path.length());
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            FileStatus expected = LongPath.status(access, ByteString.of(start), false);
            for (String slashes : List.of("", "/", "///")) {
                ByteString named = ByteString.of(path + slashes);
                assertThat(LongPath.status(access, named, false)).isEqualTo(expected);
                int descriptor = LongPath.open(access, named, O_DIRECTORY | O_NOFOLLOW);
                assertThat(access.status(descriptor)).isEqualTo(expected);
                access.close(descriptor);
            }
        }
    }
}
