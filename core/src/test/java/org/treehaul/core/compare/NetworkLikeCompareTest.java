// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.compare.Trees.path;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.copy.FarFiles;
import org.treehaul.core.copy.FileSystemTypes;
import org.treehaul.core.copy.NetworkLike;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.TestDirectory;

/** Comparisons with file systems that behave like mounts of network file systems. */
class NetworkLikeCompareTest {

    private static final CompareOptions TIMES = CompareOptions.defaults().withThreads(2);

    private Trees trees;

    @BeforeEach
    void make() {
        trees = new Trees(TestDirectory.onTmpfs());
    }

    @AfterEach
    void remove() {
        trees.close();
    }

    @Test
    void aclsThatAreNotListedAreCompared() {
        trees.a(writer -> writer.file(path("f"), 10, 1)
                .attribute(path("f"), PosixAcl.ACCESS, PosixAcl.parse("u::rw-,u:1234:r--,g::---,m::r--,o::---"))
                .directory(path("d"))
                .attribute(path("d"), PosixAcl.DEFAULT, PosixAcl.parse("u::rwx,g::r-x,o::---")))
                .b(writer -> writer.file(path("f"), 10, 1).mode(path("f"), 0640).directory(path("d")));
        Trees.Found found = trees.compare(NetworkLike.withoutListedAcls(), Trees.NO_TIMES);
        assertThat(found.differences()).hasSize(2);
        assertThat(found.differences().get(0)).startsWith("d: acl").contains("default:");
        assertThat(found.differences().get(1)).startsWith("f: acl").contains("user:1234:r--");
    }

    @ParameterizedTest
    @CsvSource({"2000000000, two seconds, 5123456789", "1000000000, whole seconds, 5123456789",
            "10000000, 10 ms, 5123456789", "100, 100 ns, 5123456789"})
    void timesAreComparedAsFineAsBothSidesKeepThem(int unit, String text, long nanos) {
        Timestamp time = new Timestamp(nanos / 1_000_000_000, (int) (nanos % 1_000_000_000));
        trees.both(writer -> writer.file(path("f"), 10, 1).times(path("f"), time).times(path(""), time));
        Trees.Found found = trees.compare(NetworkLike.keepingTimesTo(unit, trees.b()), TIMES);
        assertThat(found.differences()).isEmpty();
        assertThat(found.notices()).singleElement().asString().contains(text).contains(trees.b().toString());
    }

    @Test
    void timesThatDifferByMoreThanTheResolutionAreReported() {
        trees.both(writer -> writer.file(path("f"), 10, 1).times(path(""), new Timestamp(5, 0)))
                .a(writer -> writer.times(path("f"), new Timestamp(5, 999_999_999)))
                .b(writer -> writer.times(path("f"), new Timestamp(6, 0)));
        Trees.Found found = trees.compare(NetworkLike.keepingTimesTo(1_000_000_000, trees.b()), TIMES);
        assertThat(found.differences()).singleElement().asString().startsWith("f: mtime");
        assertThat(found.notices()).isEmpty();
    }

    @Test
    void aTimeOfAWholeSecondIsNoSignOfACoarseFileSystem() {
        trees.both(writer -> writer.file(path("f"), 10, 1).times(path(""), new Timestamp(5, 0)))
                .a(writer -> writer.times(path("f"), new Timestamp(5, 500)))
                .b(writer -> writer.times(path("f"), new Timestamp(5, 0)));
        Trees.Found found = trees.compare(TIMES);
        assertThat(found.differences()).singleElement().asString().startsWith("f: mtime");
        assertThat(found.notices()).isEmpty();
    }

    @Test
    void idleThreadsTakeAPartOfTheEntriesIfTheSecondTreeIsOnAServer() {
        trees.both(writer -> {
            for (int i = 0; i < 40; i++) {
                writer.file(path("f" + i), 10, 1);
            }
        });
        AtomicInteger most = new AtomicInteger();
        FileSystemCalls types = FileSystemTypes.saying(FileSystemTypes.NFS, trees.b());
        assertThat(trees.compare(FarFiles.of(types, most), Trees.NO_TIMES).differences()).isEmpty();
        assertThat(most).hasValueGreaterThan(1);
    }
}
