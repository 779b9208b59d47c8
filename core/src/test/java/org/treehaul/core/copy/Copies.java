// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * A source tree S and its copy T, with everything that a test needs to know about a copy. Every copy is made through
 * counted calls, and fails the test if it leaves a descriptor open.
 */
public final class Copies implements AutoCloseable {

    private static final String MARK = ".treehaul-";

    private final TestDirectory directory;
    private final Path source;
    private final Path target;
    private final BiFunction<FileSystemCalls, WalkOptions, Walker> walker;

    /**
     * The outcome of a copy.
     *
     * @param result its result
     * @param failures from its events
     * @param notices in the order in which they came
     * @param done actions and targets, sorted
     * @param calls the counted calls
     */
    public record Ran(CopyResult result, List<EntryFailure> failures, List<String> notices, List<String> done,
            FaultInjectingCalls calls) {

        /** Returns the failures as kind, path, operation and errno, sorted. */
        public List<String> failed() {
            return failures.stream()
                    .map(f -> f.kind() + " " + f.path() + " " + f.operation() + " " + f.errno())
                    .sorted()
                    .toList();
        }

        public Ran succeeds() {
            assertThat(failures).isEmpty();
            assertThat(result.isSuccess()).isTrue();
            return this;
        }
    }

    public Copies(TestDirectory directory) {
        this(directory, directory.directory("S"), directory.resolve("T"), TreeWalker::of);
    }

    private Copies(TestDirectory directory, Path source, Path target,
            BiFunction<FileSystemCalls, WalkOptions, Walker> walker) {
        this.directory = directory;
        this.source = source;
        this.target = target;
        this.walker = walker;
    }

    /** Returns the same source with another target, copied by another walker. */
    public Copies through(BiFunction<FileSystemCalls, WalkOptions, Walker> other, String name) {
        return new Copies(directory, source, directory.resolve(name), other);
    }

    public static Copies onDisk() {
        return new Copies(TestDirectory.make());
    }

    public static Copies onTmpfs() {
        return new Copies(TestDirectory.onTmpfs());
    }

    /** Returns trees on a tmpfs, or elsewhere if it does not have this much room. */
    public static Copies onTmpfs(long bytes) {
        return new Copies(TestDirectory.onTmpfs(bytes, 10_000));
    }

    /** Returns the options of cp -a with a fixed number of threads. */
    public static CopyOptionsBuilder archive() {
        return CopyOptions.archive().threads(2);
    }

    /**
     * Returns a fault that makes unnamed temporary files (O_TMPFILE) unavailable, as on NFS and FUSE, or one that never
     * applies.
     */
    public static Fault noUnnamedFiles(boolean isMet) {
        return Fault.on(Call.OPENAT).named(isMet ? "" : "never").fails(Errno.EOPNOTSUPP);
    }

    public Path source() {
        return source;
    }

    public Path target() {
        return target;
    }

    public Path at(String path) {
        return target.resolve(path);
    }

    public TestDirectory directory() {
        return directory;
    }

    /** Creates entries in the source. */
    public Copies with(Consumer<TreeWriter> making) {
        return in(source, making);
    }

    /** Creates entries in the target before there is a copy. */
    public Copies there(Consumer<TreeWriter> making) {
        if (!target.toFile().isDirectory()) {
            directory.directory("T");
        }
        return in(target, making);
    }

    private Copies in(Path root, Consumer<TreeWriter> making) {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), root)) {
            making.accept(writer);
        }
        return this;
    }

    public Ran copy(CopyOptions options, Fault... faults) {
        return copy(options, new Cancellation(), faults);
    }

    public Ran copy(CopyOptions options, Cancellation cancellation, Fault... faults) {
        return run(Linux.calls(), walker, options, List.of(pair(source, target)), cancellation, faults);
    }

    /**
     * Copies on a file system that claims to be Lustre: data are read and written, and several threads write to one
     * file.
     */
    public Ran copyStriped(CopyOptions options, Fault... faults) {
        return copyStriped(options, new Cancellation(), faults);
    }

    public Ran copyStriped(CopyOptions options, Cancellation cancellation, Fault... faults) {
        return run(FileSystemTypes.saying(FileSystemTypes.LUSTRE), options, List.of(pair(source, target)), cancellation,
                faults);
    }

    /** Copies with other calls than those of the kernel. */
    public Ran copy(FileSystemCalls calls, CopyOptions options, Fault... faults) {
        return run(calls, options, List.of(pair(source, target)), new Cancellation(), faults);
    }

    /** Copies one entry of the source to a place in the target, as a root of its own. */
    public Ran copyOne(CopyOptions options, String from, String to, Fault... faults) {
        return copyOne(Linux.calls(), options, from, to, faults);
    }

    public Ran copyOne(FileSystemCalls calls, CopyOptions options, String from, String to, Fault... faults) {
        return run(calls, options, List.of(pair(source.resolve(from), target.resolve(to))), new Cancellation(), faults);
    }

    public static CopyPair pair(Path from, Path to) {
        return new CopyPair(Root.of(bytes(from)), bytes(to));
    }

    public static Ran run(CopyOptions options, List<CopyPair> pairs, Cancellation cancellation, Fault... faults) {
        return run(Linux.calls(), options, pairs, cancellation, faults);
    }

    private static Ran run(FileSystemCalls beneath, CopyOptions options, List<CopyPair> pairs,
            Cancellation cancellation, Fault... faults) {
        return run(beneath, TreeWalker::of, options, pairs, cancellation, faults);
    }

    private static Ran run(FileSystemCalls beneath, BiFunction<FileSystemCalls, WalkOptions, Walker> walker,
            CopyOptions options, List<CopyPair> pairs, Cancellation cancellation, Fault... faults) {
        List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());
        List<String> notices = Collections.synchronizedList(new ArrayList<>());
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        FaultInjectingCalls calls = FaultInjectingCalls.over(beneath, faults);
        TreeCopier copier = TreeCopier.of(calls, options).withWalking(walk -> walker.apply(calls, walk));
        CopyResult result = copier.copy(pairs, event -> {
            switch (event) {
                case Event.Failed e -> failures.add(e.failure());
                case Event.Notice e -> notices.add(e.text());
                case Event.Done e -> done.add(e.action() + " " + e.destination());
                case Event.Changed e -> throw new AssertionError(e);
                case Event.Removed e -> done.add("remove " + e.path());
                case Event.Ran e -> done.add("run " + e.path());
            }
        }, new Progress(), cancellation);
        assertThat(calls.openDescriptors()).as("descriptors left open").isEmpty();
        assertThat(result.failures().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(failures.size());
        return new Ran(result, List.copyOf(failures), List.copyOf(notices), done.stream().sorted().toList(), calls);
    }

    public TreeListing sourceListing() {
        return TreeListing.of(Linux.calls(), source);
    }

    public TreeListing targetListing() {
        return TreeListing.of(Linux.calls(), target);
    }

    /** Fails if the target is not a copy of the source. */
    public Copies isCopied() {
        TreeAssert.assertThat(targetListing()).isCopyOf(sourceListing());
        return this;
    }

    /** Fails if a temporary file is left anywhere in the test's directory. */
    public Copies hasNoTemporaries() {
        assertThat(TreeListing.of(Linux.calls(), directory.path()).byPath().keySet())
                .noneMatch(path -> path.toString().contains(MARK));
        return this;
    }

    /** Removes the copy, so that the same source can be copied again. */
    public void remove() {
        try {
            TreeRemoval.remove(Linux.calls(), target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compares with rsync, if it is installed. */
    public Copies agreesWithRsync() {
        Rsync.assertEqual(source, target, Set.of());
        return this;
    }

    public static ByteString bytes(Path path) {
        return ByteString.of(path.toString());
    }

    public static ByteString path(String text) {
        return ByteString.of(text);
    }

    @Override
    public void close() {
        directory.close();
    }
}
