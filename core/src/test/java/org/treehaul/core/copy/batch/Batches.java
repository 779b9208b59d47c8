// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.outcome.EntryOutcome;
import org.treehaul.core.copy.outcome.OutcomeListener;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;

/**
 * A source tree cut into batches at random, as a plan would, with all names of a file in one batch; and the reports
 * about them. The same tree and seed give the same batches in any process.
 */
public final class Batches {

    static final String ID = "20260102-030405-abcd";

    /** An entry of a batch. */
    public record Item(TreePath path, EntryKind kind) {}

    private final Path source;
    private final Path target;
    private final CopyOptions options;
    private final FileSystemCalls calls;
    private BooleanSupplier mayWrite = () -> true;
    private final List<Map<Integer, Item>> batches = new ArrayList<>();
    private final List<List<BatchChunk>> chunks = new ArrayList<>();
    private final List<FinalDirectory> directories = new ArrayList<>();
    private final Map<TreePath, List<BatchChunk>> chunked = new HashMap<>();
    private final Map<TreePath, List<ChunkedCopy.Name>> links = new HashMap<>();
    private final Map<Integer, ChunkedCopy.Chunk> copied = new ConcurrentHashMap<>();

    /** The reports about entries by number, each as a word; those about directories and chunks by path. */
    public final Map<Integer, List<String>> told = new ConcurrentHashMap<>();
    public final Map<String, List<String>> toldOfOthers = new ConcurrentHashMap<>();
    public final List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());
    final List<String> notices = Collections.synchronizedList(new ArrayList<>());

    Batches(Copies copies, CopyOptions options, FileSystemCalls calls) {
        this(copies.source(), copies.target(), options, calls);
    }

    private Batches(Path source, Path target, CopyOptions options, FileSystemCalls calls) {
        this.source = source;
        this.target = target;
        this.options = options;
        this.calls = calls;
    }

    /** Cuts the source into batches, and files larger than {@code chunkBytes} into chunks. */
    public static Batches of(Copies copies, CopyOptions options, int count, long seed, long chunkBytes) {
        return of(copies, options, count, seed, chunkBytes, Linux.calls());
    }

    public static Batches of(Copies copies, CopyOptions options, int count, long seed, long chunkBytes,
            FileSystemCalls calls) {
        Batches batches = new Batches(copies, options, calls);
        batches.cut(count, new Random(seed), chunkBytes);
        return batches;
    }

    /**
     * Returns the same batches and copied chunks, to be copied or finished through other calls, with no reports yet.
     */
    Batches through(FileSystemCalls others) {
        Batches same = new Batches(source, target, options, others);
        same.batches.addAll(batches);
        same.chunks.addAll(chunks);
        same.directories.addAll(directories);
        same.chunked.putAll(chunked);
        same.links.putAll(links);
        same.copied.putAll(copied);
        return same;
    }

    /** Cuts the tree S in a directory, whose target is T in the same directory. */
    public static Batches in(Path directory, CopyOptions options, int count, long seed, long chunkBytes) {
        Batches batches = new Batches(directory.resolve("S"), directory.resolve("T"), options, Linux.calls());
        batches.cut(count, new Random(seed), chunkBytes);
        return batches;
    }

    private void cut(int count, Random random, long chunkBytes) {
        for (int i = 0; i < count; i++) {
            batches.add(new TreeMap<>());
            chunks.add(new ArrayList<>());
        }
        SortedMap<ByteString, ListedEntry> there = Files.isDirectory(target)
                ? TreeListing.of(Linux.calls(), target).byPath()
                : new TreeMap<>();
        Map<ByteString, Integer> groups = new HashMap<>();
        int number = 0;
        int chunkNumber = 0;
        for (ListedEntry entry : TreeListing.of(Linux.calls(), source).byPath().values()) {
            TreePath path = TreePath.of(entry.path().toBytes());
            EntryKind kind = entry.status().kind();
            int batch = groups.computeIfAbsent(entry.linkGroup(), g -> random.nextInt(count));
            boolean isChunked = kind == EntryKind.REGULAR && entry.status().size() > chunkBytes;
            if (kind == EntryKind.DIRECTORY) {
                ListedEntry old = there.get(entry.path());
                directories.add(new FinalDirectory(0, path, old == null ? -1 : old.status().permissions(), false));
            } else if (isChunked && !entry.linkGroup().equals(entry.path())) {
                TreePath first = TreePath.of(entry.linkGroup().toBytes());
                links.computeIfAbsent(first, p -> new ArrayList<>()).add(new ChunkedCopy.Name(0, path));
            } else if (isChunked) {
                for (long from = 0; from < entry.status().size(); from += chunkBytes) {
                    long to = Math.min(from + chunkBytes, entry.status().size());
                    BatchChunk chunk = new BatchChunk(0, path, chunkNumber++, from, to, to == entry.status().size());
                    chunks.get(random.nextInt(count)).add(chunk);
                    chunked.computeIfAbsent(path, p -> new ArrayList<>()).add(chunk);
                }
            } else {
                batches.get(batch).put(number, new Item(path, kind));
            }
            number++;
        }
        directories.sort(Comparator.comparing(FinalDirectory::path).reversed());
    }

    /** Makes all later copying and finishing ask the fence before each change. */
    public Batches fencedBy(BooleanSupplier fence) {
        mayWrite = fence;
        return this;
    }

    public Map<Integer, Item> batch(int index) {
        return batches.get(index);
    }

    public List<FinalDirectory> directories() {
        return directories;
    }

    public int count() {
        return batches.size();
    }

    /** Returns the pair of the whole transfer with a selection of these entries. */
    public List<CopyPair> pair(Map<Integer, Item> items) {
        SelectedEntries selection = SelectedEntries.ofNonDirectories();
        items.forEach((number, item) -> selection.addEntry(item.path(), item.kind(), number));
        return List.of(new CopyPair(Root.of(Copies.bytes(source), selection), Copies.bytes(target)));
    }

    public EventListener listener() {
        return event -> {
            switch (event) {
                case Event.Failed e -> failures.add(e.failure());
                case Event.Notice e -> notices.add(e.text());
                case Event.Done e -> {
                }
                case Event.Changed e -> throw new AssertionError(e);
                case Event.Removed e -> throw new AssertionError(e);
                case Event.Ran e -> throw new AssertionError(e);
            }
        };
    }

    private void tell(int number, String what) {
        told.computeIfAbsent(number, n -> Collections.synchronizedList(new ArrayList<>())).add(what);
    }

    private void tell(TreePath path, String what) {
        toldOfOthers.computeIfAbsent(path.toString(), n -> Collections.synchronizedList(new ArrayList<>())).add(what);
    }

    private static String word(EntryOutcome outcome) {
        return switch (outcome) {
            case EntryOutcome.Done done -> "done";
            case EntryOutcome.ChunkDone done -> "done";
            case EntryOutcome.Skipped skipped -> "skipped";
            case EntryOutcome.Failed failed -> word(failed.failure());
        };
    }

    private static String word(EntryFailure failure) {
        return failure.kind() + " " + failure.operation() + " " + failure.errno();
    }

    public OutcomeListener outcomes() {
        return new OutcomeListener() {
            @Override
            public void ended(int root, int number, TreePath path, EntryOutcome outcome) {
                tell(number,
                        outcome instanceof EntryOutcome.Failed failed
                                ? "failed " + word(outcome) + " tries " + failed.tries()
                                : word(outcome));
            }

            @Override
            public void directoryFailed(int root, TreePath path, EntryFailure failure) {
                tell(path, word(failure));
            }
        };
    }

    public OutcomeListener chunkOutcomes() {
        Map<Integer, BatchChunk> byNumber = new HashMap<>();
        chunks.forEach(some -> some.forEach(chunk -> byNumber.put(chunk.number(), chunk)));
        return new OutcomeListener() {
            @Override
            public void ended(int root, int number, TreePath path, EntryOutcome outcome) {
                if (outcome instanceof EntryOutcome.ChunkDone done) {
                    BatchChunk chunk = Objects.requireNonNull(byNumber.get(number));
                    copied.put(number, new ChunkedCopy.Chunk(chunk.from(), chunk.to(), done.source(), done.proof()));
                } else {
                    tell(path, "chunk " + word(outcome));
                }
            }

            @Override
            public void directoryFailed(int root, TreePath path, EntryFailure failure) {
                throw new AssertionError(failure);
            }
        };
    }

    private ChunkedOutcomes chunkedOutcomes() {
        return new ChunkedOutcomes() {
            @Override
            public void ended(ChunkedCopy file, EntryOutcome outcome) {
                tell(file.path(), word(outcome));
            }

            @Override
            public void nameEnded(ChunkedCopy file, ChunkedCopy.Name name, EntryOutcome outcome, boolean isOther) {
                tell(name.path(), outcome instanceof EntryOutcome.Failed ? "link " + word(outcome) : "linked");
            }
        };
    }

    /** Copies a batch with a copier of its own. */
    public CopyResult copy(int batch) {
        return copy(batches.get(batch));
    }

    public CopyResult copy(Map<Integer, Item> items) {
        try (BatchCopier copier = copier()) {
            return copier.copy(pair(items), outcomes(), listener(), new Progress(), new Cancellation());
        }
    }

    /** Copies the chunks of a batch with a copier of its own. */
    public CopyResult copyChunks(int batch) {
        return copyChunks(chunks.get(batch));
    }

    public CopyResult copyChunks(List<BatchChunk> some) {
        try (BatchCopier copier = copier()) {
            return copier.copyChunks(pair(Map.of()), some, chunkOutcomes(), listener(), new Progress(),
                    new Cancellation());
        }
    }

    public Map<TreePath, List<BatchChunk>> chunked() {
        return chunked;
    }

    public Map<Integer, ChunkedCopy.Chunk> copiedChunks() {
        return copied;
    }

    /** Copies all batches, one after the other, in a random order. */
    public Batches copyAll(Random order) {
        List<Integer> indexes = new ArrayList<>();
        for (int i = 0; i < count(); i++) {
            indexes.add(i);
        }
        Collections.shuffle(indexes, order);
        indexes.forEach(i -> {
            copyChunks(i);
            copy(i);
        });
        return this;
    }

    private BatchCopier copier() {
        return BatchCopier.of(calls, options, ID).withFence(mayWrite);
    }

    public TransferFinisher finisher() {
        return TransferFinisher.of(calls, options, ID).withFence(mayWrite);
    }

    public CopyResult finishFiles() {
        return finishFiles(new Cancellation());
    }

    CopyResult finishFiles(Cancellation cancellation) {
        List<ChunkedCopy> files = new ArrayList<>();
        chunked.forEach((path, parts) -> {
            if (parts.stream().allMatch(part -> copied.containsKey(part.number()))) {
                files.add(new ChunkedCopy(0, path, parts.stream().map(part -> copied.get(part.number())).toList(),
                        links.getOrDefault(path, List.of())));
            }
        });
        try (TransferFinisher finisher = finisher()) {
            return finisher.finishFiles(pair(Map.of()), files.iterator(), chunkedOutcomes(), listener(), new Progress(),
                    cancellation);
        }
    }

    public CopyResult finishDirectories() {
        try (TransferFinisher finisher = finisher()) {
            return finisher.finishDirectories(pair(Map.of()), directories.iterator(), done -> {
            }, listener(), new Progress(), new Cancellation());
        }
    }

    public Batches finish() {
        finishFiles();
        finishDirectories();
        return this;
    }

    /** Fails unless every entry was reported as done exactly once. */
    public Batches allDone() {
        assertThat(failures).isEmpty();
        batches.forEach(batch -> batch.keySet()
                .forEach(number -> assertThat(told.get(number)).as("entry %s", batch.get(number))
                        .containsExactly("done")));
        return this;
    }
}
