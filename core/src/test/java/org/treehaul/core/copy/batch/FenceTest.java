// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;

/** A worker that is stopped, taken over by others who finish, and then continues, at any of its changes. */
class FenceTest {

    private static final long CHUNK = 300_000;

    private final Copies copies = Copies.onTmpfs();

    @AfterEach
    void close() {
        copies.close();
    }

    /** The state of the target. */
    enum Target {
        NEW,
        EXISTING,
        REMOVED_BEFORE,
        IN_PLACE,
        WITHOUT_UNNAMED_FILES
    }

    private static void make(TreeWriter writer) {
        writer.file(path("d/small"), 5, 5)
                .file(path("d/medium"), 280_000, 1)
                .hardLink(path("d/medium"), path("e/link"))
                .hardLink(path("d/small"), path("e/small"))
                .file(path("d/large"), 2 * CHUNK, 2)
                .hardLink(path("d/large"), path("e/large"))
                .symlink(path("e/symlink"), path("nowhere"))
                .hardLink(path("e/symlink"), path("symlink"))
                .special(path("fifo"), EntryKind.FIFO, 0)
                .directory(path("empty"))
                .attribute(path("d/small"), path("user.x"), path("y"))
                .mode(path("d"), 0555);
    }

    // Other data and times under each name, and no links.
    private static void makeOther(TreeWriter writer) {
        writer.file(path("d/small"), 6, 6)
                .file(path("d/medium"), 270_000, 7)
                .file(path("e/link"), 3, 3)
                .file(path("d/large"), 3, 4)
                .symlink(path("e/symlink"), path("elsewhere"));
    }

    private Batches batches(Target target) {
        CopyOptions options = archive().threads(1)
                .removeDestination(target == Target.REMOVED_BEFORE)
                .inPlace(target == Target.IN_PLACE)
                .build();
        long chunk = BatchCopier.mayChunk(options) ? CHUNK : Long.MAX_VALUE;
        return Batches.of(copies, options, 1, 1, chunk,
                FaultInjectingCalls.over(Linux.calls(), Copies.noUnnamedFiles(target == Target.WITHOUT_UNNAMED_FILES)));
    }

    private Map<String, Long> inodes() {
        return copies.targetListing()
                .byPath()
                .values()
                .stream()
                .collect(Collectors.toMap(entry -> entry.path().toString(), entry -> entry.status().inode()));
    }

    @ParameterizedTest
    @EnumSource(names = {"NEW", "EXISTING"})
    void aFencedCopierChangesNoFinishedFileWhereverItContinues(Target target) throws IOException {
        continueAnywhere(target);
    }

    @ParameterizedTest
    @Tag("rig")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = {"NEW", "EXISTING"})
    void aFencedCopierChangesNoFinishedFileInAnyOtherWay(Target target) throws IOException {
        continueAnywhere(target);
    }

    private void continueAnywhere(Target target) throws IOException {
        copies.with(FenceTest::make);
        int changes = Integer.MAX_VALUE;
        for (int at = 1; at <= changes; at++) {
            if (at > 1) {
                TreeRemoval.remove(Linux.calls(), copies.target());
            }
            if (target != Target.NEW && target != Target.WITHOUT_UNNAMED_FILES) {
                copies.there(FenceTest::makeOther);
            }
            int stop = at;
            AtomicInteger asked = new AtomicInteger();
            Map<String, Long> finished = new HashMap<>();
            Batches others = batches(target);
            Batches stopped = batches(target).fencedBy(() -> {
                int now = asked.incrementAndGet();
                if (now == stop) {
                    others.copyAll(new Random(1)).finish().allDone();
                    finished.putAll(inodes());
                }
                return now < stop;
            });
            stopped.copyAll(new Random(1)).finish();
            if (asked.get() < stop) {
                changes = at - 1;
                stopped.allDone();
            } else {
                if (finished.keySet().removeIf(name -> name.contains(".treehaul-"))) {
                    // It has removed its temporary file, which the time of the directory shows until finishing is
                    // repeated.
                    others.finishDirectories();
                }
                assertThat(inodes()).as("after %d changes", at - 1).isEqualTo(finished);
            }
            copies.isCopied().hasNoTemporaries();
        }
        assertThat(changes).isGreaterThan(40);
    }
}
