// SPDX-License-Identifier: Apache-2.0
package org.treehaul.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import java.util.zip.CRC32;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.attributes.AttributeChange;
import org.treehaul.core.attributes.ChangeOptions;
import org.treehaul.core.attributes.ChangeResult;
import org.treehaul.core.attributes.ModeChange;
import org.treehaul.core.attributes.OwnerChange;
import org.treehaul.core.attributes.TreeChanger;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.move.TreeMover;
import org.treehaul.core.remove.RemoveOptions;
import org.treehaul.core.remove.TreeRemover;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.sync.TreeSync;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.e2e.WarmProgram;
import org.treehaul.packaged.Run;

/**
 * An ordinary user who may write to a directory of the tree replaces directories and files with symbolic links while
 * root copies, removes or changes modes and owners: nothing outside the user's reach may change, and none of it may
 * appear in the copy.
 */
class SwappedComponentsTest {

    private static final String USER = "65534";
    private static final int GROUP = 54321;
    private static final int DIRECTORIES = 6;
    private static final int FILES = 6;
    private static final String SECRET = "secret of root";
    // In-process rounds take milliseconds, so they get most of the tries.
    private static final int ROUNDS = 30;
    private static final int CAMPAIGN_ROUNDS = 3000;
    private static final int JAR_ROUNDS = 4;
    // One round of the jar in three meets no swap, so a few more may be needed until one does.
    private static final int MOST_ROUNDS_MORE = 40;

    @AutoClose
    private TestDirectory directory;
    private Path source;
    private Path target;
    private Path forbidden;

    // The group, by which the user has write access, stays.
    private static final List<AttributeChange> CHANGES = List.of(ModeChange.parse("o+w", 0), ModeChange.parse("o-w", 0),
            OwnerChange.to(OptionalLong.of(1), OptionalLong.empty()),
            OwnerChange.to(OptionalLong.of(0), OptionalLong.empty()));

    private interface Copying {
        /** Copies; returns the number of failed entries. */
        long copy(Path from, Path to) throws IOException, InterruptedException;
    }

    @BeforeEach
    void makeTrees() throws IOException {
        Privilege.requireRoot("it becomes another user, and copies as root");
        for (String program : new String[]{"perl", "setpriv", "prlimit"}) {
            assumeTrue(Files.isExecutable(Path.of("/usr/bin", program)), program + " is not installed");
        }
        directory = TestDirectory.onTmpfs();
        Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        source = directory.directory("source");
        target = directory.resolve("target");
        forbidden = directory.directory("forbidden");
        fill(source.resolve("open"), "open to the group");
        fill(forbidden, SECRET);
        Files.setPosixFilePermissions(forbidden, PosixFilePermissions.fromString("rwx------"));
    }

    private static void fill(Path root, String text) throws IOException {
        Files.createDirectories(root);
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), root)) {
            for (int d = 0; d < DIRECTORIES; d++) {
                for (int f = 0; f < FILES; f++) {
                    // The last file is larger than the buffer for copies of small files.
                    ByteString path = ByteString.of("d" + d + "/f" + f);
                    writer.file(path, new byte[0]);
                    Files.writeString(root.resolve(path.toString()), text.repeat(f < FILES - 1 ? 10 : 30_000));
                    writer.owner(path, 0, GROUP).mode(path, 0660);
                }
                ByteString path = ByteString.of("d" + d);
                writer.owner(path, 0, GROUP).mode(path, 0775);
            }
            writer.owner(ByteString.empty(), 0, GROUP).mode(ByteString.empty(), 0775);
        }
    }

    private Process startSwapper(Path base) throws IOException {
        Path script = directory.resolve("swapper.pl");
        try (InputStream text = Objects.requireNonNull(SwappedComponentsTest.class.getResourceAsStream("swapper.pl"))) {
            Files.copy(text, script);
        }
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("r--r--r--"));
        Process process = new ProcessBuilder("setpriv", "--reuid", USER, "--regid", USER, "--groups", "" + GROUP,
                "perl", script.toString(), base.toString(), forbidden.toString(), "" + DIRECTORIES, "" + FILES)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.inputReader().readLine()).isEqualTo("ready");
        return process;
    }

    /**
     * Copies repeatedly while components are swapped, for at least the given number of rounds and until a round met a
     * swap, and checks the invariants after each round.
     */
    private void underAttack(Path attacked, int rounds, Copying copying, Check check) throws Exception {
        Process swapper = startSwapper(attacked);
        long met = 0;
        Map<String, Long> done = new HashMap<>();
        try {
            for (int i = 0; i < rounds || met == 0 && i < rounds + MOST_ROUNDS_MORE; i++) {
                Path to = check.target(i);
                met += copying.copy(source, to);
                check.after(to);
            }
            // Uses the process handle, because Process.destroy would close the output.
            swapper.toHandle().destroy();
            try (BufferedReader output = swapper.inputReader()) {
                output.lines().map(line -> line.split(" ")).forEach(l -> done.put(l[0], Long.parseLong(l[1])));
            }
            assertThat(swapper.waitFor()).isZero();
        } finally {
            swapper.destroyForcibly();
        }
        assertThat(done).as("tricks that worked")
                .hasSize(5)
                .allSatisfy((name, times) -> assertThat(times).isPositive());
        assertThat(met).as("what failed because of the tricks %s", done).isPositive();
    }

    private interface Check {
        Path target(int round);

        void after(Path to) throws Exception;
    }

    private static Run run(Object... command) throws IOException, InterruptedException {
        return Run.of(command);
    }

    /** Returns the attributes of each file, with the time of its last status change, and a checksum of its content. */
    private static String state(Path tree) throws IOException {
        StringBuilder state = new StringBuilder();
        for (Path path : files(tree)) {
            state.append(path)
                    .append(' ')
                    .append(new TreeMap<>(Files.readAttributes(path,
                            "unix:mode,uid,gid,size,nlink,ino,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS)));
            if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                CRC32 sum = new CRC32();
                sum.update(Files.readAllBytes(path));
                state.append(' ').append(sum.getValue());
            }
            state.append('\n');
        }
        return state.toString();
    }

    private static List<Path> files(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            return files.sorted().toList();
        }
    }

    private static void assertNoSecretIn(Path tree) throws IOException {
        for (Path file : files(tree)) {
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1).contains(SECRET)).as(file.toString())
                        .isFalse();
            }
        }
    }

    private void attackTheDestination(int rounds, Copying copying) throws Exception {
        copying.copy(source, target);
        String before = state(forbidden);
        underAttack(target.resolve("open"), rounds, copying, new Check() {
            @Override
            public Path target(int round) {
                return target;
            }

            @Override
            public void after(Path to) throws Exception {
                assertThat(state(forbidden)).isEqualTo(before);
            }
        });
        // After the attack the same command succeeds.
        String from = source.toString();
        WarmProgram.run(directory.path(), "cp", "-aT", from, target.toString()).expect(0);
        WarmProgram.run(directory.path(), "cmp", "--content", "--ignore=only-in-b", from, target.toString()).expect(0);
        assertThat(run("find", directory.path(), "-name", ".treehaul-*").out()).isEmpty();
        assertThat(state(forbidden)).isEqualTo(before);
    }

    private void attackTheSource(int rounds, Copying copying) throws Exception {
        List<Path> copies = new ArrayList<>();
        underAttack(source.resolve("open"), rounds, copying, new Check() {
            @Override
            public Path target(int round) {
                copies.add(directory.resolve("copy" + round));
                return copies.getLast();
            }

            @Override
            public void after(Path to) throws Exception {
                assertNoSecretIn(to);
                TreeRemoval.remove(Linux.calls(), to);
            }
        });
        assertThat(copies).hasSizeGreaterThanOrEqualTo(rounds);
    }

    private static long copyHere(Path from, Path to) {
        CopyOptions options = CopyOptions.archive().threads(3).build();
        long[] failed = {0};
        CopyResult result = TreeCopier.of(Linux.calls(), options)
                .copy(List.of(new CopyPair(Root.of(ByteString.of(from.toString())), ByteString.of(to.toString()))),
                        event -> {
                            if (event instanceof Event.Failed) {
                                synchronized (failed) {
                                    failed[0]++;
                                }
                            }
                        }, new Progress(), new Cancellation());
        assertThat(result.isComplete()).isTrue();
        return failed[0];
    }

    // A rename follows no link that was a directory when the trees were compared.
    private long syncHere(Path from, Path to) {
        SyncOptions options = SyncOptions.defaults()
                .withCopy(CopyOptions.archive().threads(3).build())
                .withDeletion(SyncOptions.Deletion.AFTER)
                .withDetectedRenames(true)
                .withForced(true);
        AtomicLong failed = new AtomicLong();
        try {
            TreeSync.of(Linux.calls(), options, directory.path())
                    .sync(ByteString.of(from + "/"), ByteString.of(to.toString()), change -> {
                    }, event -> failed.addAndGet(event instanceof Event.Failed ? 1 : 0), new Progress(),
                            new Cancellation());
        } catch (CopyRefusedException e) {
            throw new AssertionError(e);
        }
        return failed.get();
    }

    private interface Work {
        /** Returns whether every entry was tried. */
        boolean isComplete(EventListener failures);
    }

    private long removeHere(Path attacked) throws IOException, InterruptedException {
        return onWholeTree(attacked,
                failures -> TreeRemover.of(Linux.calls(), RemoveOptions.ofTrees().withThreads(3))
                        .remove(List.of(ByteString.of(attacked.toString())), failures, new Progress(),
                                new Cancellation())
                        .isComplete());
    }

    private long moveHere(Path attacked, Path to) throws IOException, InterruptedException {
        return onWholeTree(attacked, failures -> TreeMover
                .of(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.RENAMEAT2).named("open").fails(Errno.EXDEV)),
                        CopyOptions.archive().threads(3).build())
                .move(List.of(CopyPair.of(attacked, to)), failures, new Progress(), new Cancellation())
                .isComplete());
    }

    /** Puts a whole tree in the place of the attacked one, and works on it; returns the number of failed entries. */
    private long onWholeTree(Path attacked, Work work) throws IOException, InterruptedException {
        // The user cannot reach it before it is complete, so that no swap misleads this test.
        Path staged = directory.resolve("staged");
        Path gone = directory.resolve("gone");
        fill(staged, "open to the group");
        if (Files.exists(attacked)) {
            Files.move(attacked, gone);
        }
        Files.move(staged, attacked);
        long[] failed = {0};
        assertThat(work.isComplete(event -> {
            if (event instanceof Event.Failed) {
                synchronized (failed) {
                    failed[0]++;
                }
            }
        })).isTrue();
        run("rm", "-rf", gone).expect(0);
        return failed[0];
    }

    private static Copying byJar(List<String> by, String... options) {
        return (from, to) -> {
            List<Object> arguments = new ArrayList<>(List.of("cp", "-aT"));
            arguments.addAll(List.of(options));
            arguments.addAll(List.of(from, to));
            Run run = Run.treehaulBy(by, arguments.toArray());
            assertThat(run.code()).as(run.err()).isIn(0, 23, 24);
            assertThat(run.err()).doesNotContain("Exception");
            return run.code() == 0 ? 0 : 1;
        };
    }

    @Test
    void noFileOutsideTheDestinationIsChanged() throws Exception {
        attackTheDestination(ROUNDS, SwappedComponentsTest::copyHere);
    }

    @Test
    void syncThatDeletesAndRenamesChangesNothingOutsideTheDestination() throws Exception {
        int[] round = {0};
        attackTheDestination(ROUNDS, (from, to) -> {
            // In every other round, the files have other names at the source.
            Path open = from.resolve("open");
            for (int d = 0; d < DIRECTORIES; d++) {
                String name = "d" + d + "/f" + FILES;
                if (Files.exists(open.resolve(name))) {
                    Files.move(open.resolve(name), open.resolve("d" + d + "/f0"));
                } else if (round[0] > 0) {
                    Files.move(open.resolve("d" + d + "/f0"), open.resolve(name));
                }
            }
            round[0]++;
            return syncHere(from, to);
        });
    }

    @Test
    void syncCopiesNoFileOutsideTheSource() throws Exception {
        attackTheSource(ROUNDS, this::syncHere);
    }

    /** Changes the attacked tree there and back; returns the number of failed entries. */
    private static long changeHere(Path attacked) {
        AtomicLong failed = new AtomicLong();
        for (AttributeChange change : CHANGES) {
            ChangeResult result = TreeChanger.of(Linux.calls(), change, ChangeOptions.ofTrees().withThreads(3))
                    .change(List.of(ByteString.of(attacked.toString())), event -> failed.incrementAndGet(),
                            new Progress(), new Cancellation());
            assertThat(result.isComplete()).isTrue();
        }
        return failed.get();
    }

    private static long changeByJar(Path attacked) throws IOException, InterruptedException {
        long failed = 0;
        for (List<String> change : List.of(List.of("chmod", "-R", "o+w"), List.of("chmod", "-R", "o-w"),
                List.of("chown", "-R", "1"), List.of("chown", "-R", "0"))) {
            List<Object> arguments = new ArrayList<>(change);
            arguments.add(attacked);
            Run run = Run.treehaul(arguments.toArray());
            assertThat(run.code()).as(run.err()).isIn(0, 23, 24);
            assertThat(run.err()).doesNotContain("Exception");
            failed += run.code() == 0 ? 0 : 1;
        }
        return failed;
    }

    @Test
    void noFileOutsideTheTreeIsRemoved() throws Exception {
        Path attacked = source.resolve("open");
        attackTheTree(ROUNDS, (from, to) -> removeHere(attacked));
    }

    @Test
    void noFileOutsideTheTreeGetsAnotherModeOrOwner() throws Exception {
        Path attacked = source.resolve("open");
        attackTheTree(ROUNDS, (from, to) -> changeHere(attacked));
    }

    @Test
    @Tag("rig")
    void thePackagedProgramChangesNoModeOrOwnerOutside() throws Exception {
        Path attacked = source.resolve("open");
        attackTheTree(JAR_ROUNDS, (from, to) -> changeByJar(attacked));
    }

    private void attackTheTree(int rounds, Copying working) throws Exception {
        String before = state(forbidden);
        underAttack(source.resolve("open"), rounds, working, new Check() {
            @Override
            public Path target(int round) {
                return target;
            }

            @Override
            public void after(Path to) throws Exception {
                assertThat(state(forbidden)).isEqualTo(before);
            }
        });
        assertThat(state(forbidden)).isEqualTo(before);
    }

    @Test
    void noFileOutsideTheTreeIsMoved() throws Exception {
        String before = state(forbidden);
        Path attacked = source.resolve("open");
        underAttack(attacked, ROUNDS, (from, to) -> moveHere(attacked, to), new Check() {
            @Override
            public Path target(int round) {
                return directory.resolve("moved" + round);
            }

            @Override
            public void after(Path to) throws Exception {
                assertNoSecretIn(to);
                TreeRemoval.remove(Linux.calls(), to);
                assertThat(state(forbidden)).isEqualTo(before);
            }
        });
    }

    @Test
    void noFileOutsideTheSourceIsCopied() throws Exception {
        attackTheSource(ROUNDS, SwappedComponentsTest::copyHere);
    }

    @Test
    void thePackagedProgramChangesNothingOutside() throws Exception {
        attackTheDestination(JAR_ROUNDS, byJar(List.of()));
    }

    @ParameterizedTest
    @Tag("rig")
    @ValueSource(strings = {"--in-place", "--remove-destination", "--verify"})
    void thePackagedProgramChangesNothingOutsideWithOtherOptions(String option) throws Exception {
        attackTheDestination(JAR_ROUNDS, byJar(List.of(), option));
    }

    @Test
    @Tag("rig")
    void withFewDescriptorsDirectoriesThatAreOpenedAgainAreTheSame() throws Exception {
        List<String> limited = List.of("prlimit", "--nofile=64");
        attackTheDestination(JAR_ROUNDS, byJar(limited, "--threads=16"));
    }

    @Test
    @Tag("rig")
    void withFewDescriptorsNothingOutsideComesIn() throws Exception {
        attackTheSource(JAR_ROUNDS, byJar(List.of("prlimit", "--nofile=64"), "--threads=16"));
    }

    @Tag("campaign")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void forManyRounds(boolean isDestination) throws Exception {
        int rounds = Campaign.cases(CAMPAIGN_ROUNDS);
        if (isDestination) {
            attackTheDestination(rounds, SwappedComponentsTest::copyHere);
        } else {
            attackTheSource(rounds, SwappedComponentsTest::copyHere);
        }
    }
}
