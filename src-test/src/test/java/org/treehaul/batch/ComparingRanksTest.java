// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.packaged.Run;

/** A comparison by processes of this host that exchange messages by MPJ Express over the loopback interface. */
@Tag("rig")
class ComparingRanksTest {

    private RankGroup group;
    private Path a = Path.of("");

    @BeforeEach
    void makeGroup() throws Exception {
        RankGroup.requireMpj();
        group = new RankGroup("cmp");
        a = group.tree();
    }

    @AfterEach
    void removeGroup() {
        if (group != null) {
            group.close();
        }
    }

    private static String withoutTime(String text) {
        return text.replaceAll(" in [0-9.]+ s|, [0-9.,]+ [KMGT]?i?B/s", "");
    }

    @Test
    void fourProcessesFindTheDifferencesThatOneFinds() throws Exception {
        findTheDifferencesThatOneFinds("hybrid");
    }

    @ParameterizedTest
    @ValueSource(strings = {"random-split", "centralized"})
    @Tag("campaign")
    void everyDistributionFindsTheDifferencesThatOneProcessFinds(String distribution) throws Exception {
        findTheDifferencesThatOneFinds(distribution);
    }

    private void findTheDifferencesThatOneFinds(String distribution) throws Exception {
        Path b = group.resolve("b");
        Run.treehaul("cp", "-a", a, b).expect(0);
        Files.writeString(b.resolve("d3/first"), "???");
        Files.delete(b.resolve("d0/second7"));
        Files.copy(a.resolve("d7/first"), b.resolve("d0/second7"));
        Files.createDirectory(b.resolve("d39/new"));
        for (int i = 0; i < 50; i++) {
            Files.createFile(b.resolve("d0/new" + i));
        }
        Run expected = Run.treehaul("cmp", "--content", "--ignore=times", a, b).expect(1);
        for (int i = 0; i < 4; i++) {
            group.start(List.of(), 4, "--content", "--ignore=times", "--distribution", distribution, a, b);
        }
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            lines.addAll(group.out(i).lines().toList());
            assertThat(group.rank(i).waitFor()).as("rank %d: %s", i, group.err(i)).isEqualTo(1);
        }
        assertThat(lines).containsExactlyInAnyOrderElementsOf(expected.out().lines().toList()).hasSizeGreaterThan(50);
        // Each process reads the data of a file once for the names that it compares.
        String bytes = ", [0-9.,]+ (B|KiB) of content";
        assertThat(withoutTime(group.err(0)).replaceFirst(bytes, ""))
                .isEqualTo(withoutTime(expected.err()).replaceFirst(bytes, ""))
                .contains("links 2");
        assertThat(group.err(3)).isEmpty();
    }

    @Test
    void equalTreesAreEqualForEveryRank() throws Exception {
        for (int i = 0; i < 2; i++) {
            group.start(List.of(), 2, "--content", a, a);
        }
        for (int i = 0; i < 2; i++) {
            assertThat(group.out(i)).isEmpty();
            assertThat(group.rank(i).waitFor()).as("rank %d: %s", i, group.err(i)).isZero();
        }
    }

    @Test
    void aListOfPathsIsRefused() throws Exception {
        group.start(List.of(), 1, "-0", a, group.emptyTree());
        assertThat(group.out(0)).isEmpty();
        assertThat(group.rank(0).waitFor()).isEqualTo(2);
        assertThat(group.err(0)).contains("-0 does not work with --meet");
    }

    // The test of a walk covers this in every run.
    @Test
    @Tag("campaign")
    void whenOneIsKilledAllOthersEndAndNameIt() throws Exception {
        Path empty = group.emptyTree();
        for (int i = 0; i < 4; i++) {
            group.start(List.of(), 4, a, empty);
        }
        group.awaitWalking();
        group.rank(2).destroyForcibly();
        group.expectBroken(2, "rank 2 on " + RankGroup.host() + " is gone");
    }
}
