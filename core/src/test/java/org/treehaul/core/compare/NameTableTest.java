// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.compare.NameTable.Mark;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

class NameTableTest {

    private final TestDirectory place = TestDirectory.onTmpfs();

    @AfterEach
    void delete() {
        place.close();
    }

    private NameTable read(FileSystemCalls calls) throws SystemCallException {
        try (FileAccess access = FileAccess.open(calls)) {
            int directory = access.openDirectory(LinuxConstants.AT_FDCWD,
                    access.name(ByteString.of(place.path()).toBytes()));
            NameTable table = NameTable.read(access, directory, 42);
            access.close(directory);
            return table;
        }
    }

    private static Mark mark(NameTable table, String name) {
        byte[] bytes = ("xy" + name + "z").getBytes(StandardCharsets.UTF_8);
        return table.mark(bytes, 2, bytes.length - 3);
    }

    private static List<String> unmarked(NameTable table) {
        List<String> names = new ArrayList<>();
        table.forEachUnmarked((name, kind) -> names.add(new String(name, StandardCharsets.UTF_8) + " " + kind));
        return names;
    }

    // With 5,000 names the table is stored outside the heap, in several blocks if they are long.
    @ParameterizedTest
    @ValueSource(ints = {1, 30, 5000})
    void namesAreMarkedOnceAndTheOthersRemain(int count) throws Exception {
        Set<String> names = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            names.add("n".repeat(i % 9) + i + "-".repeat(count > 1000 ? 100 : 0));
        }
        for (String name : names) {
            Files.createFile(place.resolve(name));
        }
        try (NameTable table = read(Linux.calls())) {
            assertThat(table.isComplete()).isTrue();
            assertThat(table.isLarge()).isEqualTo(count > 1000);
            assertThat(unmarked(table)).hasSize(names.size()).allMatch(name -> name.endsWith(" REGULAR"));
            String last = "";
            for (String name : names) {
                assertThat(mark(table, name + "+")).isEqualTo(Mark.ABSENT);
                assertThat(mark(table, name)).isEqualTo(Mark.FIRST);
                assertThat(mark(table, name)).isEqualTo(Mark.AGAIN);
                last = name;
            }
            assertThat(mark(table, last.substring(1) + "?")).isEqualTo(Mark.ABSENT);
            assertThat(unmarked(table)).isEmpty();
        }
    }

    @Test
    void anEmptyDirectoryHasNoNames() throws SystemCallException {
        try (NameTable table = read(Linux.calls())) {
            assertThat(unmarked(table)).isEmpty();
            assertThat(mark(table, "a")).isEqualTo(Mark.ABSENT);
            assertThat(mark(table, ".")).isEqualTo(Mark.AGAIN);
        }
    }

    @Test
    void aNameThatIsListedTwiceRemainsOnce() throws SystemCallException, IOException {
        Files.createFile(place.resolve("name"));
        Files.createFile(place.resolve("other"));
        try (NameTable table = read(new ListedTwice(Linux.calls()))) {
            assertThat(unmarked(table)).containsExactlyInAnyOrder("name REGULAR", "other REGULAR");
            assertThat(mark(table, "name")).isEqualTo(Mark.FIRST);
            assertThat(unmarked(table)).containsExactly("other REGULAR");
        }
    }

    /** Gives each block of a listing two times. */
    private static final class ListedTwice extends InterceptedCalls {

        private byte[] again = {};

        ListedTwice(FileSystemCalls calls) {
            super(calls);
        }

        @Override
        protected long around(Call call, int descriptor, MemorySegment name, java.util.function.LongSupplier made) {
            return made.getAsLong();
        }

        @Override
        public int getdents64(int descriptor, MemorySegment buffer) {
            if (again.length > 0) {
                int length = again.length;
                buffer.asByteBuffer().put(0, again);
                again = new byte[0];
                return length;
            }
            int length = calls.getdents64(descriptor, buffer);
            again = new byte[Math.max(0, length)];
            buffer.asByteBuffer().get(0, again);
            return length;
        }
    }
}
