// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.FindCondition;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.options.Root;

/** A comparison with conditions covers the entries that GNU find selects in one of the trees. */
class ConditionalComparisonTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path parentOfA = directory.directory("a");
    private final Path parentOfB = directory.directory("b");

    @AfterEach
    void close() {
        directory.close();
    }

    @Test
    void aPairIsComparedIfFindSelectsOneOfItsEntries() throws Exception {
        compareWithFind(80, 31);
    }

    @Test
    @Tag("campaign")
    void manyPairsAreComparedIfFindSelectsOneOfTheirEntries() throws Exception {
        compareWithFind(Campaign.cases(1_000), Campaign.seed(10_000));
    }

    private void compareWithFind(int cases, long seed) throws Exception {
        long count = 0;
        for (int i = 0; i < cases; i++) {
            Random random = new Random(seed + i);
            Path a = parentOfA.resolve("tree" + i);
            Path b = parentOfB.resolve("tree" + i);
            List<Path> made = FindCondition.makeTree(random, a);
            run("cp", "-a", a.toString(), b.toString());
            change(random, a);
            change(random, b);
            FindCondition condition = FindCondition.random(random, made.subList(0, 1));
            FileQuery where = condition.query(false);
            Set<String> inA = relative(a, FindCondition.all(a));
            Set<String> inB = relative(b, FindCondition.all(b));
            Set<String> wanted = relative(a, condition.find(a));
            Set<String> wantedB = relative(b, condition.find(b));
            List<String> expected = new ArrayList<>();
            wanted.stream().filter(path -> !inB.contains(path)).forEach(path -> expected.add("ONLY_IN_A " + path));
            wantedB.stream().filter(path -> !inA.contains(path)).forEach(path -> expected.add("ONLY_IN_B " + path));
            Set<String> either = new TreeSet<>(wanted);
            either.addAll(wantedB);
            // Without conditions, a directory that one tree has represents everything below it.
            expected.removeIf(difference -> where.isAll());
            compare(a, b, FileQuery.all(), 2).stream().filter(difference -> {
                String path = difference.substring(difference.indexOf(' ') + 1);
                return where.isAll() || inA.contains(path) && inB.contains(path) && either.contains(path);
            }).forEach(expected::add);
            assertThat(compare(a, b, where, 1 + i % 3)).as("seed %d: %s", seed + i, condition)
                    .containsExactlyInAnyOrderElementsOf(expected);
            count += expected.size();
            PathUtils.deleteDirectory(a);
            PathUtils.deleteDirectory(b);
        }
        // Otherwise the cases would compare nothing with nothing.
        assertThat(count).isGreaterThan(cases);
    }

    private static void change(Random random, Path root) throws IOException {
        for (String each : FindCondition.all(root)) {
            Path path = Path.of(each);
            if (path.equals(root) || !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                continue;
            }
            boolean isDirectory = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
            switch (random.nextInt(9)) {
                case 0 -> PathUtils.delete(path);
                case 1 -> {
                    PathUtils.delete(path);
                    Files.createDirectory(path);
                    Files.createFile(path.resolve("a"));
                }
                case 2 -> {
                    if (!isDirectory) {
                        Files.delete(path);
                        Files.write(path, new byte[600]);
                    }
                }
                case 3 -> {
                    if (!Files.isSymbolicLink(path)) {
                        Files.setLastModifiedTime(path, FileTime.fromMillis(1_790_000_000_000L));
                    }
                }
                default -> {
                    // It stays as it is.
                }
            }
        }
    }

    private static Set<String> relative(Path root, Collection<String> paths) {
        Set<String> relative = new TreeSet<>();
        paths.forEach(path -> relative.add(root.relativize(Path.of(path)).toString()));
        return relative;
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    private static List<String> compare(Path a, Path b, FileQuery where, int threads) {
        List<String> found = Collections.synchronizedList(new ArrayList<>());
        CompareOptions options = CompareOptions.defaults()
                .ignoring(Set.of(DifferenceKind.HARD_LINKS))
                .withThreads(threads)
                .withWhere(where);
        CompareResult result = TreeComparer.of(Linux.calls(), options)
                .compare(Root.of(a), ByteString.of(b.toString()), difference -> found
                        .add(difference.kind() + " " + ByteString.of(difference.path().toBytes()).utf8().orElseThrow()),
                        event -> {
                            if (event instanceof Event.Failed failed) {
                                throw new AssertionError(failed.failure().toString());
                            }
                        }, new Progress(), new Cancellation());
        assertThat(result.isComplete()).isTrue();
        return found;
    }
}
