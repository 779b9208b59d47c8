// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.Rsync;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;

/** Copies and compares any two directories, and checks the results. */
final class Transfers {

    private Transfers() {}

    /** Makes a directory with content. */
    static Path tree(Path root, Consumer<TreeWriter> making) throws Exception {
        Files.createDirectories(root);
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), root)) {
            making.accept(writer);
        }
        return root;
    }

    /** Makes numbered files of random bytes. */
    static Path files(Path root, int count, long size) throws Exception {
        return tree(root, writer -> {
            for (int i = 0; i < count; i++) {
                writer.file(name("f" + i), size, i);
            }
        });
    }

    static ByteString name(String text) {
        return ByteString.of(text);
    }

    static Copies.Ran copy(CopyOptions options, Path from, Path to, Fault... faults) {
        return Copies.run(options, List.of(Copies.pair(from, to)), new Cancellation(), faults);
    }

    static Copies.Ran copy(Path from, Path to) {
        return copy(Copies.archive().build(), from, to);
    }

    /** The result of a comparison. */
    record Compared(CompareResult result, List<String> differences, List<EntryFailure> failures) {}

    static Compared compare(Path a, Path b) {
        List<String> differences = Collections.synchronizedList(new ArrayList<>());
        List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());
        CompareResult result = TreeComparer.of(Linux.calls(), CompareOptions.defaults().withContent(true))
                .compare(Root.of(ByteString.of(a.toString())), ByteString.of(b.toString()),
                        difference -> differences.add(difference.toString()), event -> {
                            if (event instanceof Event.Failed failed) {
                                failures.add(failed.failure());
                            }
                        }, new Progress(), new Cancellation());
        return new Compared(result, differences, failures);
    }

    /** Fails unless b is a complete copy of a, according to three judges. */
    static void assertCopied(Path a, Path b) throws Exception {
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), b)).isCopyOf(TreeListing.of(Linux.calls(), a));
        Compared compared = compare(a, b);
        assertThat(compared.differences()).isEmpty();
        assertThat(compared.failures()).isEmpty();
        Rsync.assertEqual(a, b, Set.of());
        assertNoTemporaries(b);
    }

    static void assertNoTemporaries(Path root) throws Exception {
        try (Stream<Path> all = Files.walk(root)) {
            assertThat(all.map(path -> String.valueOf(path.getFileName()))).noneMatch(n -> n.startsWith(".treehaul-"));
        }
    }

    /**
     * Fails unless every regular file of the copy is complete.
     *
     * @return the number of regular files
     */
    static long assertWhole(Path source, Path copy) {
        TreeListing from = TreeListing.of(Linux.calls(), source);
        long files = 0;
        for (ListedEntry entry : TreeListing.of(Linux.calls(), copy).entries()) {
            ListedEntry original = from.byPath().get(entry.path());
            assertThat(original).as("%s is in the source", entry.path()).isNotNull();
            if (original != null && entry.status().kind() == EntryKind.REGULAR) {
                assertThat(entry.content()).as("content of %s", entry.path()).isEqualTo(original.content());
                files++;
            }
        }
        return files;
    }

    /** Returns the failures with another errno. */
    static List<EntryFailure> failuresBut(Copies.Ran ran, int errno) {
        return ran.failures().stream().filter(f -> f.errno() != errno).toList();
    }
}
