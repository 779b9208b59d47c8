// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.treehaul.core.compare.Trees.Found;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.Names;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;

class TreeComparerPropertyTest {

    private static final CompareOptions ALL = CompareOptions.defaults().withContent(true).withChunkBytes(100_000);

    @Property(tries = 25, shrinking = ShrinkingMode.OFF)
    void findsTheDifferencesOfAPlainComparisonAndTheSameMirrored(@ForAll long seed,
            @ForAll @IntRange(min = 5, max = 120) int entries, @ForAll @IntRange(max = 5) int fewer,
            @ForAll @IntRange(max = 6) int changes, @ForAll @IntRange(min = 1, max = 6) int threads) {
        try (Trees trees = new Trees(TestDirectory.make())) {
            RandomTree.make(Linux.calls(), trees.a(), seed, entries);
            RandomTree.make(Linux.calls(), trees.b(), seed, entries - fewer);
            change(trees, changes, new Random(seed));
            Found found = trees.compare(ALL.withThreads(threads));
            assertThat(found.failures()).isEmpty();
            assertThat(told(found)).isEqualTo(
                    expected(TreeListing.of(Linux.calls(), trees.a()), TreeListing.of(Linux.calls(), trees.b())));
            assertThat(trees.mirrored(ALL.withThreads(threads)).differences()).isEqualTo(
                    found.all().stream().map(difference -> difference.mirrored().toString()).sorted().toList());
        }
    }

    private static void change(Trees trees, int changes, Random random) {
        List<ByteString> paths = new ArrayList<>(TreeListing.of(Linux.calls(), trees.b()).byPath().keySet());
        trees.b(writer -> {
            for (int i = 0; i < changes; i++) {
                change(writer, paths.get(random.nextInt(paths.size())), TreeListing.of(Linux.calls(), trees.b()),
                        random, i);
            }
        });
    }

    private static void change(TreeWriter writer, ByteString path, TreeListing listing, Random random, int number) {
        ListedEntry entry = Objects.requireNonNull(listing.byPath().get(path));
        EntryKind kind = entry.status().kind();
        boolean mayWrite = Privilege.isRoot() || (entry.status().permissions() & 0200) != 0;
        switch (random.nextInt(4)) {
            case 0 -> writer.times(path, new Timestamp(random.nextInt(), random.nextInt(1_000_000_000)));
            case 1 -> {
                boolean mayHave = kind == EntryKind.REGULAR || kind == EntryKind.DIRECTORY;
                if (path.length() > 0 && mayHave && mayWrite) {
                    writer.attribute(path, ByteString.of("user.number"), ByteString.of("" + number));
                }
            }
            case 2 -> {
                if (kind != EntryKind.SYMLINK) {
                    writer.mode(path, 0400 | random.nextInt(0400) | (kind == EntryKind.DIRECTORY ? 0700 : 0));
                }
            }
            default -> {
                if (kind == EntryKind.DIRECTORY && mayWrite) {
                    writer.special(Names.join(path, "new" + number), EntryKind.FIFO, 0);
                }
            }
        }
    }

    private static Set<String> told(Found found) {
        Set<String> told = new TreeSet<>();
        found.all().forEach(difference -> told.add(difference.kind() + " " + difference.path()));
        return told;
    }

    private static Set<String> expected(TreeListing a, TreeListing b) {
        Set<String> expected = new TreeSet<>();
        Map<ByteString, ListedEntry> both = new TreeMap<>();
        a.byPath().forEach((path, entry) -> {
            ListedEntry other = b.byPath().get(path);
            if (other == null) {
                addTopmost(expected, "ONLY_IN_A ", path, b);
            } else {
                both.put(path, other);
                compare(expected, entry, other);
            }
        });
        b.byPath()
                .keySet()
                .stream()
                .filter(path -> !a.byPath().containsKey(path))
                .forEach(path -> addTopmost(expected, "ONLY_IN_B ", path, a));
        compareLinks(expected, a, b, both.keySet());
        return expected;
    }

    // Entries in a missing directory are not reported again.
    private static void addTopmost(Set<String> expected, String kind, ByteString path, TreeListing other) {
        TreePath parent = TreePath.of(path.toBytes()).parent();
        ListedEntry above = other.byPath().get(ByteString.of(parent.toBytes()));
        if (above != null && above.status().kind() == EntryKind.DIRECTORY) {
            expected.add(kind + path);
        }
    }

    private static void compare(Set<String> expected, ListedEntry a, ListedEntry b) {
        String path = TreePath.of(a.path().toBytes()).toString();
        FileStatus statusA = a.status();
        FileStatus statusB = b.status();
        EntryKind kind = statusA.kind();
        if (kind != statusB.kind()) {
            expected.add("KIND " + path);
            return;
        }
        boolean sameSize = kind != EntryKind.REGULAR || statusA.size() == statusB.size();
        addUnless(sameSize, "SIZE", path, expected);
        addUnless(kind == EntryKind.SYMLINK || statusA.permissions() == statusB.permissions(), "MODE", path, expected);
        addUnless(statusA.mtime().equals(statusB.mtime()), "MTIME", path, expected);
        addUnless(a.attributes().equals(b.attributes()), "XATTR", path, expected);
        addUnless(kind != EntryKind.SYMLINK || a.content().equals(b.content()), "LINK_TARGET", path, expected);
        addUnless(kind != EntryKind.REGULAR || !sameSize || a.content().equals(b.content()), "CONTENT", path, expected);
    }

    private static void addUnless(boolean same, String kind, String path, Set<String> expected) {
        if (!same) {
            expected.add(kind + " " + path);
        }
    }

    private static void compareLinks(Set<String> expected, TreeListing a, TreeListing b, Set<ByteString> both) {
        Set<ByteString> comparable = new HashSet<>(both);
        comparable.removeIf(path -> kind(a, path) != kind(b, path) || kind(a, path) == EntryKind.DIRECTORY);
        Map<ByteString, Set<ByteString>> groupsA = groups(a, comparable);
        Map<ByteString, Set<ByteString>> groupsB = groups(b, comparable);
        for (ByteString path : comparable) {
            addUnless(Objects.equals(groupsA.get(path), groupsB.get(path)), "HARD_LINKS",
                    TreePath.of(path.toBytes()).toString(), expected);
        }
    }

    private static EntryKind kind(TreeListing listing, ByteString path) {
        return Objects.requireNonNull(listing.byPath().get(path)).status().kind();
    }

    private static Map<ByteString, Set<ByteString>> groups(TreeListing listing, Set<ByteString> paths) {
        Map<ByteString, Set<ByteString>> byLeader = new HashMap<>();
        Map<ByteString, Set<ByteString>> byPath = new HashMap<>();
        for (ByteString path : paths) {
            ByteString leader = Objects.requireNonNull(listing.byPath().get(path)).linkGroup();
            Set<ByteString> group = byLeader.computeIfAbsent(leader, l -> new HashSet<>());
            group.add(path);
            byPath.put(path, group);
        }
        return byPath;
    }
}
