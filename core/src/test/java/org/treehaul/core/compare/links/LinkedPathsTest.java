// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare.links;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;

/** Differences of names that are one file in one tree and several in the other. */
class LinkedPathsTest {

    private static final int MANY = 60_000;

    private static FileStatus file(long inode, int links) {
        return new FileStatus(EntryKind.REGULAR.typeBits(), 0, 0, links, inode, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, 0,
                0);
    }

    private static TreePath path(String text) {
        return TreePath.of(text.getBytes(UTF_8));
    }

    private static List<String> differences(LinkedPaths groups) {
        List<String> told = new ArrayList<>();
        groups.forEachDifference((path, a, b) -> told.add(path + ": " + a + " | " + b));
        return told;
    }

    @Test
    void eachNameIsReportedWithTheFirstOfTheOthers() {
        LinkedPaths groups = new LinkedPaths();
        groups.add(file(1, 3), 1, file(11, 1), 1, path("c"));
        groups.add(file(1, 3), 1, file(12, 2), 1, path("b"));
        groups.add(file(1, 3), 1, file(12, 2), 1, path("a"));
        assertThat(differences(groups)).containsExactly("a: with b and 1 more | with b",
                "b: with a and 1 more | with a", "c: with a and 1 more | alone");
    }

    // Comparing each name with all others took minutes.
    @Test
    @Timeout(60)
    void aFileOfVeryManyNamesIsReportedAtOnce() {
        LinkedPaths groups = new LinkedPaths();
        for (int i = 0; i < MANY; i++) {
            groups.add(file(1, MANY), 1, file(10 + i, 2), 1, path("n" + i));
        }
        assertThat(differences(groups)).hasSize(MANY).contains("n0: with n1 and 59998 more | alone");
    }
}
