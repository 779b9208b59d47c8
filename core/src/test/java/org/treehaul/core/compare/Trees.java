// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;

/** Two trees, A and B, and the result of their comparison. */
final class Trees implements AutoCloseable {

    /** Exact except for times: two trees are never created at the same moment. */
    static final CompareOptions NO_TIMES = CompareOptions.defaults()
            .ignoring(DifferenceKind.parse("times"))
            .withThreads(4);

    private final TestDirectory directory;
    private final Path a;
    private final Path b;

    /**
     * The outcome of a comparison.
     *
     * @param result its result
     * @param differences the reported differences, as text, sorted
     * @param all the reported differences
     * @param failures the reported failures, as text, sorted
     * @param notices other messages
     */
    record Found(CompareResult result, List<String> differences, List<Difference> all, List<String> failures,
            List<String> notices) {}

    Trees(TestDirectory directory) {
        this.directory = directory;
        this.a = directory.directory("A");
        this.b = directory.directory("B");
    }

    static Trees make() {
        return new Trees(TestDirectory.make());
    }

    Path a() {
        return a;
    }

    Path b() {
        return b;
    }

    Trees a(Consumer<TreeWriter> making) {
        return in(a, making);
    }

    Trees b(Consumer<TreeWriter> making) {
        return in(b, making);
    }

    Trees both(Consumer<TreeWriter> making) {
        return a(making).b(making);
    }

    private Trees in(Path root, Consumer<TreeWriter> making) {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), root)) {
            making.accept(writer);
        }
        return this;
    }

    Found compare(CompareOptions options) {
        return compare(Linux.calls(), options);
    }

    Found compare(FileSystemCalls calls, CompareOptions options) {
        return compare(calls, options, a, b);
    }

    Found mirrored(CompareOptions options) {
        return compare(Linux.calls(), options, b, a);
    }

    /** Compares in both directions, and fails unless exactly these differences and their mirror images are found. */
    void assertFinds(CompareOptions options, String... expected) {
        Found found = compare(options);
        assertThat(found.failures()).isEmpty();
        assertThat(found.differences()).containsExactlyInAnyOrder(expected);
        assertThat(found.result().differenceCount()).isEqualTo(expected.length);
        assertThat(found.result().isSame()).isEqualTo(expected.length == 0);
        assertThat(found.result().hasTrouble()).isFalse();
        assertThat(mirrored(options).differences())
                .containsExactlyInAnyOrderElementsOf(found.all().stream().map(d -> d.mirrored().toString()).toList());
    }

    static Found compare(FileSystemCalls calls, CompareOptions options, Path a, Path b) {
        return compare(calls, options, Root.of(bytes(a)), bytes(b));
    }

    static Found compare(FileSystemCalls calls, CompareOptions options, Root a, ByteString b) {
        List<Difference> all = Collections.synchronizedList(new ArrayList<>());
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        List<String> notices = Collections.synchronizedList(new ArrayList<>());
        CompareResult result = TreeComparer.of(calls, options).compare(a, b, all::add, event -> {
            if (event instanceof Event.Failed(EntryFailure failure)) {
                failures.add(failure.kind() + " " + (failure.root().equals(b) ? "B" : "A") + " " + failure.path() + " "
                        + failure.operation() + " " + failure.errno());
            } else if (event instanceof Event.Notice(String text)) {
                notices.add(text);
            }
        }, new Progress(), new Cancellation());
        return new Found(result, all.stream().map(Difference::toString).sorted().toList(), List.copyOf(all),
                failures.stream().sorted().toList(), List.copyOf(notices));
    }

    static ByteString bytes(Path path) {
        return ByteString.of(path.toString());
    }

    static ByteString path(String text) {
        return ByteString.of(text);
    }

    @Override
    public void close() {
        directory.close();
    }
}
