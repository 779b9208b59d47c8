// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.compare.Trees.NO_TIMES;
import static org.treehaul.core.compare.Trees.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.compare.Trees.Found;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

/** Comparisons of directories in which most files are equal, on a file system whose attribute lists include ACLs. */
class EqualFilesTest {

    private static final int FILES = 100;
    private static final int SIZE = 1000;
    private static final Timestamp TIME = new Timestamp(1_000_000_000, 5);
    private static final CompareOptions METADATA = CompareOptions.defaults();
    private static final CompareOptions CONTENT = METADATA.withContent(true);

    private final Trees trees = new Trees(TestDirectory.onTmpfs());

    @BeforeEach
    void create() {
        trees.both(EqualFilesTest::files);
    }

    @AfterEach
    void delete() {
        trees.close();
    }

    private static void files(TreeWriter writer) {
        for (int i = 0; i < FILES; i++) {
            writer.file(path("f" + i), SIZE, i).times(path("f" + i), TIME);
        }
        rootTime(writer);
    }

    private static void rootTime(TreeWriter writer) {
        writer.times(path(""), TIME);
    }

    private Map<Call, Long> calls(CompareOptions options) {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Found found = trees.compare(calls, options.withThreads(1));
        assertThat(found.differences()).isEmpty();
        assertThat(found.failures()).isEmpty();
        assertThat(calls.openDescriptors()).isEmpty();
        return calls.counts();
    }

    @Test
    void aPairTakesTheStatusAndTheListOfAttributesOfEachSide() {
        Map<Call, Long> counts = calls(METADATA);
        assertThat(counts.get(Call.STATX)).isBetween(2L * FILES, 2L * FILES + 10);
        assertThat(counts.get(Call.LLISTXATTR)).isBetween(2L * FILES, 2L * FILES + 4);
        assertThat(counts.get(Call.OPENAT)).isLessThan(5);
    }

    @Test
    void aPairWithDataTakesFiveCallsOnEachSide() {
        Map<Call, Long> counts = calls(CONTENT);
        assertThat(counts.get(Call.STATX)).isBetween(2L * FILES, 2L * FILES + 10);
        assertThat(counts.get(Call.OPENAT)).isBetween(2L * FILES, 2L * FILES + 5);
        assertThat(counts.get(Call.FLISTXATTR)).isEqualTo(2 * FILES);
        assertThat(counts.get(Call.PREAD)).isEqualTo(2 * FILES);
        assertThat(counts.get(Call.CLOSE)).isBetween(2L * FILES, 2L * FILES + 5);
        assertThat(counts.get(Call.LLISTXATTR)).as("of the roots").isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void equalFilesAreCounted(int threads) {
        trees.both(w -> w.file(path("empty"), 0, 0).times(path("empty"), TIME));
        trees.both(EqualFilesTest::rootTime);
        Progress.Snapshot counts = trees.compare(CONTENT.withThreads(threads)).result().counts();
        assertThat(counts.entries()).isEqualTo(FILES + 2);
        assertThat(counts.files()).isEqualTo(FILES + 1);
        assertThat(counts.directories()).isEqualTo(1);
        assertThat(counts.bytes()).isEqualTo(FILES * (long) SIZE);
        assertThat(trees.compare(METADATA.withThreads(threads)).result().counts().bytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void eachKindOfDifferenceIsFoundAmongThem(int threads) {
        trees.a(w -> w.file(path("onlyA"), 1, 1)).b(w -> {
            w.flipByte(path("f3"), SIZE - 1).times(path("f3"), TIME);
            w.mode(path("f17"), 0600);
            w.owner(path("f18"), 12, 0);
            w.owner(path("f19"), 0, 13);
            w.times(path("f31"), new Timestamp(1_000_000_000, 6));
            w.times(path("f32"), new Timestamp(1_000_000_001, 5));
            w.remove(path("f40")).file(path("f40"), SIZE + 1, 40).times(path("f40"), TIME);
            w.attribute(path("f50"), path("user.a"), path("b"));
            w.remove(path("f60"));
            w.remove(path("f61")).symlink(path("f61"), path("f62"));
            w.file(path("more"), 1, 1);
        });
        trees.both(EqualFilesTest::rootTime);
        List<String> kinds = trees.compare(CONTENT.withThreads(threads))
                .all()
                .stream()
                .map(difference -> difference.path() + " " + difference.kind())
                .sorted()
                .toList();
        assertThat(kinds).containsExactly("f17 MODE", "f18 OWNER", "f19 GROUP", "f3 CONTENT", "f31 MTIME", "f32 MTIME",
                "f40 SIZE", "f50 XATTR", "f60 ONLY_IN_A", "f61 KIND", "more ONLY_IN_B", "onlyA ONLY_IN_A");
    }

    @Test
    void ignoredFieldsMayDiffer() {
        trees.b(w -> {
            for (int i = 0; i < FILES; i++) {
                w.mode(path("f" + i), 0600).owner(path("f" + i), 1, 2).times(path("f" + i), new Timestamp(i, i));
            }
        });
        Map<Call, Long> counts = calls(METADATA.ignoring(DifferenceKind.parse("mode,ownership,times")));
        assertThat(counts.get(Call.STATX)).isLessThan(2 * FILES + 10);
    }

    @Test
    void timesToCompareOnRequestAreCompared() throws IOException, InterruptedException {
        // The clock of a file system advances every few milliseconds.
        Thread.sleep(20);
        trees.b(w -> w.remove(path("f7")).file(path("f7"), SIZE, 7).times(path("f7"), TIME))
                .b(EqualFilesTest::rootTime);
        for (String time : new String[]{"ctime", "btime"}) {
            assertThat(trees.compare(METADATA.comparing(DifferenceKind.parse(time))).differences())
                    .anyMatch(text -> text.startsWith("f7: " + time))
                    .allMatch(text -> text.contains(": " + time));
        }
        BasicFileAttributeView changed = Files.getFileAttributeView(trees.b().resolve("f7"),
                BasicFileAttributeView.class);
        changed.setTimes(null, FileTime.fromMillis(5), null);
        // A comparison reads the directories.
        assertThat(trees.compare(METADATA.comparing(DifferenceKind.parse("atime"))).differences())
                .filteredOn(text -> !text.startsWith(".: "))
                .singleElement()
                .asString()
                .startsWith("f7: atime ");
    }

    @Test
    void filesThatAllDifferAreHardlyEverReadInVain() {
        trees.both(w -> {
            for (int i = 0; i < 3000; i++) {
                w.file(path("d/g" + i), 0, 0);
            }
        });
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Found found = Trees.compare(calls, METADATA.withThreads(1), trees.a().resolve("d"), trees.b().resolve("d"));
        assertThat(found.differences()).hasSizeGreaterThan(3000);
        assertThat(calls.count(Call.STATX)).isLessThan(2 * 3000 + 400);
    }

    // A status by name, or an open file or its status with content.
    @ParameterizedTest
    @CsvSource({"STATX,false,1,3,A,stat", "STATX,false,2,3,B,stat", "STATX,true,1,2,A,stat", "STATX,true,1,3,B,stat",
            "STATX,true,2,5,A,fstat", "OPENAT,true,1,2,A,open", "OPENAT,true,2,4,B,open"})
    void aFileThatCannotBeExaminedIsTriedOnceMoreAndThenReported(Call call, boolean content, int first, int second,
            String side, String operation) {
        CompareOptions options = METADATA.withContent(content).withThreads(1);
        Fault once = Fault.on(call).named("f7").nth(first).fails(Errno.EIO);
        assertThat(trees.compare(FaultInjectingCalls.over(Linux.calls(), once), options).result().isSame()).isTrue();
        FaultInjectingCalls lasting = FaultInjectingCalls.over(Linux.calls(), once,
                Fault.on(call).named("f7").nth(second).fails(Errno.EIO));
        Found found = trees.compare(lasting, options);
        assertThat(found.failures()).containsExactly("ERROR " + side + " f7 " + operation + " " + Errno.EIO);
        assertThat(found.differences()).isEmpty();
        assertThat(lasting.openDescriptors()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"PREAD,1,A,read", "PREAD,2,B,read", "FLISTXATTR,1,A,listxattr", "FLISTXATTR,2,B,listxattr"})
    void aReadThatFailsOnceIsReported(Call call, int nth, String side, String operation) {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(call).named("f7").nth(nth).fails(Errno.EIO));
        Found found = trees.compare(calls, CONTENT.withThreads(1));
        assertThat(found.failures()).containsExactly("ERROR " + side + " f7 " + operation + " " + Errno.EIO);
        assertThat(found.differences()).isEmpty();
        assertThat(found.result().counts().entries()).isEqualTo(FILES + 1);
        assertThat(found.result().counts().files()).isEqualTo(FILES - 1);
        assertThat(calls.openDescriptors()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"A,0", "B,0", "A,999", "B,999"})
    void aFileThatIsCutBeforeItIsReadHasChanged(String side, long size) {
        Path cut = (side.equals("A") ? trees.a() : trees.b()).resolve("f7");
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.PREAD).named("f7").nth(1).runs(i -> truncate(cut, size)));
        Found found = trees.compare(calls, CONTENT.withThreads(1));
        assertThat(found.failures()).containsExactly("CHANGED " + side + " f7 read 0");
        assertThat(found.differences()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"A", "B"})
    void attributesOfAFileThatCannotBeOpenedAreCompared(String side) {
        trees.a(w -> w.attribute(path("f7"), path("user.a"), path("1")));
        int opened = side.equals("A") ? 1 : 2;
        // It is opened again by itself.
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("f7").nth(opened).fails(Errno.EACCES),
                Fault.on(Call.OPENAT).named("f7").nth(2L * opened).fails(Errno.EACCES));
        Found found = trees.compare(calls, CONTENT.withThreads(1));
        assertThat(found.differences()).containsExactly("f7: xattr user.a=\"1\" | user.a absent");
        assertThat(found.failures()).containsExactly("ERROR " + side + " f7 open " + Errno.EACCES);
        assertThat(calls.openDescriptors()).isEmpty();
    }

    @ParameterizedTest
    @Timeout(60) // waiting for a writer of the FIFO is one of the possible failures
    @CsvSource({"A,symlink", "B,symlink", "A,fifo", "B,fifo", "A,directory", "B,directory"})
    void aFileThatIsReplacedBeforeItIsOpenedIsComparedAsWhatReplacedIt(String side, String by) {
        Consumer<TreeWriter> change = w -> {
            w.remove(path("f7"));
            switch (by) {
                case "symlink" -> w.symlink(path("f7"), path("f8"));
                case "fifo" -> w.special(path("f7"), EntryKind.FIFO, 0);
                default -> w.directory(path("f7"));
            }
        };
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT)
                        .named("f7")
                        .nth(1)
                        .runs(i -> (side.equals("A") ? trees.a(change) : trees.b(change)).a()));
        Found found = trees.compare(calls, CONTENT.withThreads(1));
        assertThat(found.failures()).isEmpty();
        assertThat(found.differences())
                .containsExactly("f7: kind " + (side.equals("A") ? by + " | regular" : "regular | " + by));
        assertThat(calls.openDescriptors()).isEmpty();
    }

    @Test
    void filesOfSeveralPiecesAreLeftToOtherThreads() {
        trees.both(w -> {
            for (int i = 0; i < 40; i++) {
                w.file(path("g/" + i), i % 4 == 0 ? 200_000 : 100, i);
            }
        });
        for (int threads : new int[]{1, 4}) {
            Found found = Trees.compare(Linux.calls(), NO_TIMES.withContent(true).withThreads(threads),
                    trees.a().resolve("g"), trees.b().resolve("g"));
            assertThat(found.differences()).isEmpty();
            assertThat(found.result().counts().files()).isEqualTo(40);
            assertThat(found.result().counts().bytes()).isEqualTo(10 * 200_000 + 30 * 100);
        }
    }

    private static void truncate(Path file, long size) throws IOException {
        try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
    }

    @Test
    void aFileThatGrowsWhileEarlierOnesAreReadIsComparedAsItIsThen() {
        // Each of them is more than is read at once, so that it is compared alone.
        trees.both(w -> w.file(path("large/x"), 200_000, 1).file(path("large/y"), 200_000, 1));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PREAD).nth(1).runs(i -> {
            String other = i.names().getFirst().equals(path("x")) ? "large/y" : "large/x";
            trees.both(w -> w.remove(path(other)).file(path(other), 300_000, 2));
        }));
        Found found = Trees.compare(calls, NO_TIMES.withContent(true).withThreads(1), trees.a().resolve("large"),
                trees.b().resolve("large"));
        assertThat(found.failures()).isEmpty();
        assertThat(found.differences()).isEmpty();
        assertThat(found.result().counts().bytes()).isEqualTo(500_000);
    }

    @Test
    void aTreeIsEqualToItselfWithoutOpeningItsFiles() {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Found found = Trees.compare(calls, CONTENT.withThreads(1), trees.a(), trees.a());
        assertThat(found.result().isSame()).isTrue();
        assertThat(found.result().counts().files()).isEqualTo(FILES);
        assertThat(calls.counts()).doesNotContainKey(Call.PREAD);
        assertThat(calls.count(Call.LLISTXATTR)).isLessThan(4);
    }
}
