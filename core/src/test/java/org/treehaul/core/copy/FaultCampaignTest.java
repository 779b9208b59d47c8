// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.InjectedFault;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;

/**
 * A small tree of all kinds of entries is copied again and again; each time another system call fails once, with
 * another error. Whatever fails: entries under final names are complete, the copy reports any difference, no descriptor
 * is left open, and a repeated copy succeeds.
 */
class FaultCampaignTest {

    // The distance between two faults in the normal run: a prime, so that it meets every kind of call.
    private static final int STEP = 13;

    // Errors that the copy may ignore, because they mean that a feature is missing there, or because it has an
    // alternative. The trees show whether ignoring them was right.
    private static final Set<Integer> NOTICED = Set.of(Errno.EPERM, Errno.EMLINK, Errno.EXDEV, Errno.EOPNOTSUPP);

    /** The state of the destination, and the options of the copy. */
    enum Scene {
        /** Nothing exists; one thread. */
        NEW(archive().threads(1)),
        /** Nothing exists; chunks and verification with two threads. */
        VERIFIED(archive().threads(2).chunkBytes(HostileTree.CHUNK_BYTES).verify(CopyOptions.Verify.XXH3)),
        /** An older tree is replaced. */
        REPLACING(archive().threads(1)),
        /** Nothing exists, on a file system without unnamed temporary files. */
        NAMED(archive().threads(1));

        @SuppressWarnings("ImmutableEnumChecker") // CopyOptions are immutable
        private final CopyOptions options;

        Scene(CopyOptionsBuilder options) {
            this.options = options.build();
        }

        List<Fault> always() {
            return this == NAMED ? List.of(Copies.noUnnamedFiles(true)) : List.of();
        }
    }

    private static void make(TreeWriter writer) {
        writer.file(path("small"), 1000, 1)
                .file(path("d/empty"), 0, 1)
                .file(path("d/two-buffers"), 300_000, 2)
                .file(path("d/large"), 2L * HostileTree.CHUNK_BYTES + 5, 3)
                .sparse(path("d/sparse"), 1 << 20, 65536)
                .hardLink(path("small"), path("d/link"))
                .symlink(path("d/symlink"), path("nowhere"))
                .special(path("d/fifo"), EntryKind.FIFO, 0)
                .file(path("e/attributes"), 10, 4)
                .attribute(path("e/attributes"), ByteString.of("user.a"), ByteString.of("b"))
                .attribute(path("e/attributes"), PosixAcl.ACCESS, PosixAcl.of(1234, 4321))
                .mode(path("small"), 0640)
                .mode(path("e"), 0750);
    }

    private static void makeOld(TreeWriter writer) {
        writer.file(path("small"), 70, 11)
                .file(path("d/two-buffers"), 400_000, 12)
                .file(path("d/large"), 20, 13)
                .file(path("d/link"), 30, 14)
                .symlink(path("d/symlink"), path("elsewhere"));
    }

    /** The tree to copy and the states of its destination, created once for all faults of a scene. */
    private static final class Stage implements AutoCloseable {
        private final Copies copies;
        private final Scene scene;
        private final TreeListing source;
        private final SortedMap<ByteString, ListedEntry> old;

        Stage(Scene scene) {
            this.copies = new Copies(TestDirectory.onTmpfs());
            this.scene = scene;
            copies.with(FaultCampaignTest::make);
            this.source = copies.sourceListing();
            reset();
            this.old = scene == Scene.REPLACING ? new TreeMap<>(copies.targetListing().byPath()) : new TreeMap<>();
        }

        void reset() {
            try {
                if (Files.exists(copies.target())) {
                    TreeRemoval.remove(Linux.calls(), copies.target());
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            if (scene == Scene.REPLACING) {
                copies.there(FaultCampaignTest::makeOld);
            }
        }

        Copies.Ran run(Fault... faults) {
            Fault[] all = Stream.concat(scene.always().stream(), Stream.of(faults)).toArray(Fault[]::new);
            return scene == Scene.VERIFIED ? copies.copyStriped(scene.options, all) : copies.copy(scene.options, all);
        }

        void suffer(InjectedFault injected) {
            reset();
            Copies.Ran ran = run(injected.fault());
            // The number of calls depends on the timing of threads: this one may not have happened.
            boolean wasMet = ran.calls().count(injected.call()) >= injected.nth();
            if (ran.result().isSuccess()) {
                if (NOTICED.contains(injected.errno()) && !ran.notices().isEmpty()) {
                    assertThat(everythingIsWhole()).isEmpty();
                } else {
                    // Without SEEK_DATA, holes may be copied as zeros.
                    TreeAssert.assertThat(copies.targetListing()).ignoring(TreeAssert.Aspect.HOLES).isCopyOf(source);
                }
                copies.hasNoTemporaries();
            } else {
                assertThat(wasMet).isTrue();
                assertThat(injected.errno()).as("an interrupted call is made again").isNotEqualTo(Errno.EINTR);
                assertThat(ran.failures()).as("what failed is named").isNotEmpty();
                assertThat(ran.failures())
                        .anyMatch(failure -> failure.errno() == injected.errno() && !failure.operation().isEmpty());
                assertThat(ran.failures()).as("each names an entry of the tree, and prints its path")
                        .allMatch(failure -> source.byPath().containsKey(ByteString.of(failure.path().toBytes()))
                                && failure.toString().contains(copies.directory().path().toString()));
                assertThat(everythingIsWhole()).isEmpty();
                assertThat(halfDoneThatLooksComplete(ran)).isEmpty();
            }
            run().succeeds();
            copies.isCopied().hasNoTemporaries();
        }

        // An entry under a final name has all of the new content or all of the old.
        private List<String> everythingIsWhole() {
            if (!Files.exists(copies.target())) {
                return List.of();
            }
            List<String> torn = new ArrayList<>();
            copies.targetListing().byPath().forEach((path, found) -> {
                ListedEntry wanted = source.byPath().get(path);
                ListedEntry before = old.get(path);
                boolean isTemporary = path.toString().contains(".treehaul-");
                boolean isNew = wanted != null && hasContentOf(wanted, found);
                boolean isOld = before != null && hasContentOf(before, found);
                if (!isTemporary && !isNew && !isOld && found.status().kind() != EntryKind.DIRECTORY) {
                    torn.add(path.toString());
                }
            });
            old.forEach((path, before) -> {
                if (!copies.targetListing().byPath().containsKey(path)) {
                    torn.add(path + " is lost");
                }
            });
            return torn;
        }

        // A file with its final time has everything else too, or is reported.
        private List<String> halfDoneThatLooksComplete(Copies.Ran ran) {
            if (!Files.exists(copies.target())) {
                return List.of();
            }
            List<String> deceiving = new ArrayList<>();
            copies.targetListing().byPath().forEach((path, found) -> {
                ListedEntry wanted = source.byPath().get(path);
                boolean looksComplete = wanted != null && found.status().kind() == EntryKind.REGULAR
                        && found.status().mtime().equals(wanted.status().mtime());
                if (looksComplete && wanted != null) {
                    boolean isComplete = hasContentOf(wanted, found)
                            && found.status().permissions() == wanted.status().permissions()
                            && found.attributes().equals(wanted.attributes());
                    boolean isTold = ran.failures()
                            .stream()
                            .anyMatch(f -> ByteString.of(f.path().toBytes()).equals(path));
                    if (!isComplete && !isTold) {
                        deceiving.add(path.toString());
                    }
                }
            });
            return deceiving;
        }

        private static boolean hasContentOf(ListedEntry wanted, ListedEntry found) {
            boolean isRegular = wanted.status().kind() == EntryKind.REGULAR;
            return wanted.status().kind() == found.status().kind() && wanted.content().equals(found.content())
                    && (!isRegular || wanted.status().size() == found.status().size());
        }

        @Override
        public void close() {
            copies.close();
        }
    }

    private static void campaign(Scene scene, int step) {
        try (Stage stage = new Stage(scene)) {
            List<InjectedFault> injections = InjectedFault.inEach(stage.run().succeeds().calls().counts());
            List<String> wrong = new ArrayList<>();
            for (int i = 0; i < injections.size(); i += step) {
                InjectedFault injected = injections.get(i);
                try {
                    stage.suffer(injected);
                } catch (AssertionError e) {
                    wrong.add(injected + ": " + e.getMessage());
                }
            }
            assertThat(wrong).as("of " + injections.size() / step).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void someCallsFailOnce(Scene scene) {
        campaign(scene, STEP);
    }

    @Tag("campaign")
    @ParameterizedTest
    @EnumSource
    void everyCallFailsOnce(Scene scene) {
        campaign(scene, 1);
    }
}
