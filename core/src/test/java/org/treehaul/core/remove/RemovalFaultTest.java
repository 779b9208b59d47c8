// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.remove.Removals.remove;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.InjectedFault;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.remove.Removals.Ran;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;

/**
 * A small tree is removed again and again; each time another system call fails once. Whatever fails: nothing outside
 * the tree changes, what stays is reported, and a repeated removal leaves nothing.
 */
class RemovalFaultTest {

    // The distance between two faults in the normal run: a prime, so that it meets every kind of call.
    private static final int STEP = 7;

    // One thread, so that the calls of all runs have the same order.
    private static final RemoveOptions OPTIONS = RemoveOptions.ofTrees().withThreads(1);

    private static ByteString path(String path) {
        return ByteString.of(path);
    }

    private static void make(Path place) throws IOException {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), place)) {
            writer.file(path("tree/file"), 1000, 2)
                    .file(path("tree/a/b/c/deep"), 1, 3)
                    .file(path("tree/a/b/beside"), 1, 4)
                    .hardLink(path("outside/kept"), path("tree/a/name"))
                    .symlink(path("tree/a/link"), path("../../outside"))
                    .special(path("tree/fifo"), EntryKind.FIFO, 0)
                    .mode(path("tree/a"), 0700);
            Files.createDirectory(place.resolve("tree/empty"));
        }
    }

    private static boolean isLeft(Path tree) {
        return Files.exists(tree, LinkOption.NOFOLLOW_LINKS);
    }

    // Returns whether something was left.
    private static boolean suffer(Path place, InjectedFault injected) {
        Path tree = place.resolve("tree");
        Ran ran = remove(place, OPTIONS, List.of("tree"), injected.fault());
        // Another process removed the entry, as far as the call shows.
        boolean seemsGone = injected.errno() == Errno.ENOENT;
        boolean isLeft = isLeft(tree);
        if (isLeft) {
            assertThat(seemsGone || !ran.failures().isEmpty()).as("what stays is reported").isTrue();
            assertThat(remove(place, OPTIONS, List.of("tree")).failures()).as("of the repeated removal").isEmpty();
            assertThat(isLeft(tree)).as("after the repeated removal").isFalse();
        }
        return isLeft;
    }

    private static void campaign(int step) throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path place = directory.path();
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), place)) {
                writer.file(path("outside/kept"), 10, 1);
            }
            make(place);
            List<InjectedFault> injections = InjectedFault.inEach(remove(place, OPTIONS, List.of("tree")).counts());
            TreeListing outside = TreeListing.of(Linux.calls(), place.resolve("outside"));
            List<String> wrong = new ArrayList<>();
            int left = 0;
            for (int i = 0; i < injections.size(); i += step) {
                InjectedFault injected = injections.get(i);
                make(place);
                try {
                    left += suffer(place, injected) ? 1 : 0;
                    TreeAssert.assertThat(TreeListing.of(Linux.calls(), place.resolve("outside"))).isCopyOf(outside);
                } catch (AssertionError e) {
                    wrong.add(injected + ": " + e.getMessage());
                    if (isLeft(place.resolve("tree"))) {
                        TreeRemoval.remove(Linux.calls(), place.resolve("tree"));
                    }
                }
            }
            assertThat(wrong).as("of " + injections.size() / step).isEmpty();
            assertThat(left).as("faults after which something is left").isPositive();
        }
    }

    @Test
    void someCallsFailOnce() throws IOException {
        campaign(STEP);
    }

    @Tag("campaign")
    @Test
    void everyCallFailsOnce() throws IOException {
        campaign(1);
    }
}
