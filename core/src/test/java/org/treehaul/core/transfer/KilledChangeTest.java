// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.attributes.ModeChange;
import org.treehaul.core.attributes.OwnerChange;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.Operation;

/**
 * Changes of modes and owners by processes that are killed or suspended at random calls: resumed, they leave what an
 * undisturbed change leaves; entries that are new or of another kind are left alone, and a late worker changes nothing.
 */
class KilledChangeTest {

    private static final int FILES = 160;
    // Two workers of this tree make about 600 calls each, finishing about 300.
    private static final int WORKER_CALLS = 400;
    private static final int FINISHING_CALLS = 250;
    private static final List<String> EXPRESSIONS = List.of("640", "go=", "a-x", "u+rwX,g=u", "ug=rX,o=", "02750",
            "+t");

    /** Mode, owner and group. */
    private record State(int mode, int user, int group) {
        static State of(Path path) throws IOException {
            return new State(attribute(path, "mode"), attribute(path, "uid"), attribute(path, "gid"));
        }

        private static int attribute(Path path, String name) throws IOException {
            return (int) Files.getAttribute(path, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** A tree and its change. */
    private static final class Rig implements AutoCloseable {
        final Random random;
        final TestDirectory directory = TestDirectory.onTmpfs();
        final Path tree = directory.directory("tree");
        final Map<Path, State> before;
        final Operation.OnEntries operation;
        final TransferDirectory transfer;
        final Path kept;

        Rig(long seed, int threads) throws IOException {
            random = new Random(seed);
            kept = Files.writeString(directory.resolve("kept"), "kept");
            for (int i = 0; i < FILES; i++) {
                Path file = tree.resolve("d" + i % 12 + "/e" + i % 3 + "/f" + i);
                Files.createDirectories(file.getParent());
                Files.writeString(file, "planned");
            }
            for (int i = 0; i < 6; i++) {
                Files.createLink(tree.resolve("d" + i + "/second" + i), tree.resolve("d11/e2/f11"));
                Files.createSymbolicLink(tree.resolve("d" + i + "/link" + i), kept);
            }
            for (Path path : paths()) {
                if (!Files.isSymbolicLink(path)) {
                    Files.setAttribute(path, "unix:mode", random.nextInt(010000));
                }
                Files.setAttribute(path, "unix:uid", random.nextInt(3), LinkOption.NOFOLLOW_LINKS);
            }
            before = states();
            operation = random.nextInt(3) == 0
                    ? new Operation.ChangeOwner(new OwnerChange(OptionalLong.of(7), OptionalLong.of(8),
                            random.nextBoolean() ? OptionalLong.of(1) : OptionalLong.empty(), OptionalLong.empty()))
                    : new Operation.ChangeMode(
                            ModeChange.parse(EXPRESSIONS.get(random.nextInt(EXPRESSIONS.size())), 022));
            // Only the end of a batch is durable, so that a killed worker leaves many entries to try again.
            transfer = WalkedPlans.onEntries(transfers(), operation, tree, threads, 3, event -> {},
                    TransferFixture.FAST.withDurable(Duration.ofHours(1), 1L << 30));
        }

        Transfers transfers() throws IOException {
            return Transfers.in(directory.resolve("state"));
        }

        List<Path> paths() throws IOException {
            try (Stream<Path> all = Files.walk(tree)) {
                return all.toList();
            }
        }

        Map<Path, State> states() throws IOException {
            Map<Path, State> states = new TreeMap<>();
            for (Path path : paths()) {
                states.put(path, State.of(path));
            }
            return states;
        }

        /** Returns the state after the change, as an undisturbed one leaves it. */
        private State changed(State state) {
            boolean isLink = (state.mode & 0170000) == 0120000;
            boolean isDirectory = (state.mode & 0170000) == 0040000;
            return switch (operation) {
                case Operation.ChangeMode(ModeChange change) -> isLink
                        ? state
                        : new State(state.mode & ~07777 | change.apply(state.mode, isDirectory), state.user,
                                state.group);
                case Operation.ChangeOwner(OwnerChange change) -> change.fromUser().orElse(state.user) == state.user
                        ? new State(withoutSetIds(state.mode, isLink || isDirectory), 7, 8)
                        : state;
                default -> throw new AssertionError(operation);
            };
        }

        // The kernel clears them, set-group-ID only with execute for the group; see chown(2).
        private static int withoutSetIds(int mode, boolean isKept) {
            return isKept ? mode : mode & ~04000 & ~((mode & 0010) != 0 ? 02000 : 0);
        }

        TransferResult resumed() throws IOException {
            return TransferFixture.resume(transfers(), transfer, event -> {});
        }

        Set<Path> failed() throws IOException {
            Set<Path> failed = new TreeSet<>();
            transfers().failures(transfer, failure -> failed.add(Path.of(failure.failure().fullPath().toString())));
            return failed;
        }

        @Override
        public void close() {
            directory.close();
        }
    }

    @BeforeEach
    void needsRoot() {
        Privilege.requireRoot("it gives files to other users");
    }

    private static void kill(long seed) throws Exception {
        try (Rig rig = new Rig(seed, 2)) {
            int first = rig.transfers().start(rig.transfer);
            TransferProcess.killWorkers(rig.transfer, first, rig.random, WORKER_CALLS);
            Path added = Files.writeString(rig.tree.resolve("d1/added"), "new");
            State ofAdded = State.of(added);
            // A planned file is a link to a file outside now.
            Path swapped = rig.tree.resolve("d2/e2/f" + (14 + 36 * rig.random.nextInt(4)));
            Files.delete(swapped);
            Files.createSymbolicLink(swapped, rig.kept);
            State ofSwapped = State.of(swapped);
            State ofKept = State.of(rig.kept);
            int second = rig.transfers().resume(rig.transfer);
            try (TransferProcess worker = TransferProcess.worker(rig.transfer, second, 0)) {
                worker.await();
            }
            TransferProcess.killFinishing(rig.transfer, second, rig.random, FINISHING_CALLS);
            TransferResult result = rig.resumed();
            assertThat(result.state()).isIn(TransferResult.State.COMPLETE, TransferResult.State.PARTIAL);
            assertThat(rig.failed()).isSubsetOf(Set.of(swapped));
            assertThat(State.of(added)).isEqualTo(ofAdded);
            assertThat(State.of(swapped)).isEqualTo(ofSwapped);
            assertThat(State.of(rig.kept)).isEqualTo(ofKept);
            Map<Path, State> wanted = new TreeMap<>();
            rig.before.forEach((path, state) -> wanted.put(path, rig.changed(state)));
            assertThat(rig.paths()).hasSize(wanted.size() + 1);
            wanted.put(swapped, ofSwapped);
            wanted.put(added, ofAdded);
            assertSame(rig, seed, wanted);
        }
    }

    private static void assertSame(Rig rig, long seed, Map<Path, State> wanted) throws IOException {
        Map<Path, State> different = rig.states();
        different.keySet().retainAll(wanted.keySet());
        different.entrySet().removeIf(one -> one.getValue().equals(wanted.get(one.getKey())));
        assertThat(different).as(seed + " " + rig.operation).isEmpty();
    }

    private static void stop(long seed) throws Exception {
        try (Rig rig = new Rig(seed, 1)) {
            int first = rig.transfers().start(rig.transfer);
            Map<Path, State> byTheUser = new TreeMap<>();
            try (TransferProcess late = TransferProcess.worker(rig.transfer, first, 0,
                    FatalCalls.stop(rig.random, WORKER_CALLS / 2));
                    TransferProcess other = TransferProcess.worker(rig.transfer, first, 1)) {
                // It takes the batch of the stopped one over.
                other.await();
                List<Path> files = new ArrayList<>(rig.before.keySet());
                files.removeIf(path -> !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS));
                for (Path file : files) {
                    Files.setAttribute(file, "unix:mode", 0124);
                    Files.setAttribute(file, "unix:uid", 1);
                    byTheUser.put(file, State.of(file));
                }
                late.continueToItsEnd();
            }
            TransferResult result = rig.resumed();
            assertThat(result.state()).as(result.toString()).isEqualTo(TransferResult.State.COMPLETE);
            assertSame(rig, seed, byTheUser);
        }
    }

    @Test
    void afterKillsAtAFewCallsTheResumedChangeIsWhole() throws Exception {
        Campaign.each(1, 2, KilledChangeTest::kill);
    }

    @Test
    void aWorkerThatWasSuspendedChangesNothingAgain() throws Exception {
        stop(1);
        stop(2);
    }

    @Tag("campaign")
    @Test
    void afterKillsAtManyCallsTheResumedChangeIsWhole() throws Exception {
        Campaign.each(Campaign.seed(100), Campaign.cases(60), KilledChangeTest::kill);
    }

    @Tag("campaign")
    @Test
    void workersThatWereSuspendedAtManyCallsChangeNothingAgain() throws Exception {
        Campaign.each(Campaign.seed(100), Campaign.cases(60), KilledChangeTest::stop);
    }
}
