// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** An index without room for it, or without permission to load a library. */
@Tag("rig")
class FullSpaceTest {

    @Test
    void aFullDiskLeavesTheIndexAsItWas() throws Exception {
        try (TestDirectory directory = TestDirectory.make(); Mount small = Mount.tmpfs("size=600k,mode=700")) {
            Path source = directory.directory("source");
            RandomTree.make(Linux.calls(), source, 3, 100);
            Path space = small.resolve("space");
            Run.treehaul("index", "--space", space, source).expect(0);
            String before = Run.treehaul("query", "--space", space, "--count").expect(0).out();
            Path many = Files.createDirectory(source.resolve("many"));
            for (int i = 0; i < 5000; i++) {
                Files.createFile(many.resolve("a-name-of-some-length-" + i));
            }
            Run full = Run.treehaul("index", "--space", space).expect(2);
            assertThat(full.err()).startsWith("treehaul: index: ")
                    .contains("the index is unchanged")
                    .doesNotContain("Exception");
            assertThat(Run.treehaul("query", "--space", space, "--count").expect(0).out()).isEqualTo(before);
            small.remount("size=20m");
            Run.treehaul("index", "--space", space).expect(0);
            assertThat(Run.treehaul("query", "--space", space, "--count", "name=a-name*").expect(0).out())
                    .isEqualTo("5000\n");
        }
    }

    @Test
    void aFirstIndexThatFindsNoRoomLeavesNone() throws Exception {
        try (TestDirectory directory = TestDirectory.make(); Mount small = Mount.tmpfs("size=100k,mode=700")) {
            Path source = directory.directory("source");
            for (int i = 0; i < 3000; i++) {
                Files.createFile(source.resolve("a-name-of-some-length-" + i));
            }
            Path space = small.resolve("space");
            assertThat(Run.treehaul("index", "--space", space, source).expect(2).err()).startsWith("treehaul: index: ")
                    .doesNotContain("Exception");
            assertThat(Run.treehaul("query", "--space", space).expect(2).err()).contains("there is no tuple space");
            small.remount("size=20m");
            Run.treehaul("index", "--space", space, source).expect(0);
        }
    }

    @Test
    void anAnswerThatFindsNoRoomNamesTheDirectory() throws Exception {
        try (TestDirectory directory = TestDirectory.make(); Mount small = Mount.tmpfs("size=100k,mode=700")) {
            Path source = directory.directory("source");
            for (int i = 0; i < 15_000; i++) {
                Files.createFile(source.resolve("a-long-name-".repeat(16) + i));
            }
            Path space = directory.resolve("space");
            Run.treehaul("index", "--space", space, source).expect(0);
            Map<String, String> environment = new HashMap<>(System.getenv());
            environment.put("SQLITE_TMPDIR", small.resolve("").toString());
            Object[] query = {Run.JAVA, "-Xmx24m", "-jar", Run.JAR, "query", "--space", space, "--group-by", "name"};
            Run full = Run.of(environment, query).expect(2);
            assertThat(full.out()).isEmpty();
            assertThat(full.err())
                    .isEqualTo("treehaul: query: cannot sort the answer in " + environment.get("SQLITE_TMPDIR")
                            + ": No space left on device (ENOSPC); set SQLITE_TMPDIR to a directory with more room\n");
            assertThat(small.resolve("")).isEmptyDirectory();
            small.remount("size=20m");
            assertThat(Run.of(environment, query).expect(0).out()).hasLineCount(15_001);
            assertThat(small.resolve("")).isEmptyDirectory();
        }
    }

    @Test
    void aTemporaryDirectoryMountedNoexecIsReportedWithTheRemedy() throws Exception {
        try (TestDirectory directory = TestDirectory.make(); Mount noexec = Mount.tmpfs("size=20m,noexec,mode=700")) {
            Path source = directory.directory("source");
            Path space = directory.resolve("space");
            List<Object> java = List.of(Run.JAVA, "-Djava.io.tmpdir=" + noexec.resolve("."), "-jar", Run.JAR);
            Run run = Run.of(java.get(0), java.get(1), java.get(2), java.get(3), "index", "--space", space, source)
                    .expect(2);
            assertThat(run.err()).startsWith("treehaul: index: ")
                    .contains("-Dorg.sqlite.tmpdir=")
                    .doesNotContain("Exception");
            Run.of(java.get(0), java.get(1), "-Dorg.sqlite.tmpdir=" + directory.path(), java.get(2), java.get(3),
                    "index", "--space", space, source).expect(0);
            // A command without a database is not affected.
            Run.of(java.get(0), java.get(1), java.get(2), java.get(3), "walk", source).expect(0);
        }
    }
}
