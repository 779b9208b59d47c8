// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.EntryMetadata;
import org.treehaul.core.storage.MapFile;
import org.treehaul.core.storage.MapStore;
import org.treehaul.core.storage.NewFile;
import org.treehaul.core.storage.OrderedMapFile;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.core.storage.TargetTree;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;

/** Trees are copied from one map of bytes to another, without a file of the operating system. */
class StoreCopyTest {

    private static final CopyPair NAMES = new CopyPair(Root.of(ByteString.of("map:from")), ByteString.of("map:to"));

    private final Cancellation cancellation = new Cancellation();
    private final ConcurrentLinkedQueue<EntryFailure> failures = new ConcurrentLinkedQueue<>();

    private static TreePath path(String text) {
        return TreePath.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static CopyOptionsBuilder threads(int number) {
        return CopyOptions.archive().threads(number);
    }

    private CopyResult copy(MapStore from, MapStore to, CopyOptions options) {
        return copy(from::source, to::target, options);
    }

    private CopyResult copy(StoreCopier.Opening<SourceTree> from, StoreCopier.Opening<TargetTree> to,
            CopyOptions options) {
        return StoreCopier.of(NAMES, from, to, options).copy(event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure());
            }
        }, new Progress(), cancellation);
    }

    private static void file(TargetTree tree, String name, int size) throws SystemCallException {
        EntryMetadata like = MapStore.metadata(EntryKind.REGULAR, 0640, 100 + size);
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        try (Arena arena = Arena.ofConfined()) {
            NewFile file = tree.create(path(name), like);
            MemorySegment data = arena.allocate(size + 1L).asSlice(0, size);
            data.copyFrom(MemorySegment.ofArray(bytes));
            file.data().write(data);
            file.commit();
        }
    }

    private static void directory(TargetTree tree, String name) throws SystemCallException {
        FileStatus like = MapStore.status(EntryKind.DIRECTORY, 0750, 50);
        tree.makeDirectory(path(name), like);
        tree.finishDirectory(path(name), MapStore.metadata(EntryKind.DIRECTORY, 0750, 50));
    }

    private static MapStore fill(MapStore store) {
        try (TargetTree tree = store.target()) {
            directory(tree, "");
            directory(tree, "empty");
            for (int d = 0; d < 20; d++) {
                directory(tree, "d" + d);
                directory(tree, "d" + d + "/deep");
                for (int f = 0; f < 10; f++) {
                    file(tree, "d" + d + "/deep/f" + f, d * 10 + f);
                }
                tree.makeLink(path("d" + d + "/link"), ByteString.of("deep/f1"),
                        MapStore.metadata(EntryKind.SYMLINK, 0777, d));
            }
            tree.makeNode(path("fifo"), MapStore.metadata(EntryKind.FIFO, 0600, 3));
            file(tree, "large", 3_000_001);
            NewFile sparse = tree.create(path("sparse"), MapStore.metadata(EntryKind.REGULAR, 0600, 4));
            sparse.data().setSize(20_000_000);
            try (Arena arena = Arena.ofConfined()) {
                sparse.data().write(arena.allocate(10_000).fill((byte) 1), 7_000_000);
            }
            sparse.commit();
            return store;
        } catch (SystemCallException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void aTreeIsCopiedThroughTheInterfacesAlone(int threads) throws SystemCallException {
        MapStore from = fill(new MapStore());
        MapStore to = new MapStore();
        CopyResult result = copy(from, to, threads(threads).verify(CopyOptions.Verify.XXH3).build());
        assertThat(failures).isEmpty();
        assertThat(result.isSuccess()).isTrue();
        assertThat(to.describe()).isEqualTo(from.describe());
        assertThat(to.data(path("sparse")).dataBytes()).isEqualTo(from.data(path("sparse")).dataBytes());
        assertThat(to.unnamedFiles()).isZero();
        assertThat(result.counts().files()).isEqualTo(202);
        assertThat(result.counts().directories()).isEqualTo(42);
        assertThat(result.counts().entries()).isEqualTo(from.describe().size());
    }

    @Test
    void aRepeatedCopyReplacesExistingFiles() {
        MapStore from = fill(new MapStore());
        MapStore to = new MapStore();
        assertThat(copy(from, to, threads(2).build()).isSuccess()).isTrue();
        assertThat(copy(from, to, threads(2).build()).isSuccess()).isTrue();
        assertThat(to.describe()).isEqualTo(from.describe());
    }

    @Test
    void anEntryThatFailsIsReportedAndTheRestIsCopied() {
        MapStore from = fill(new MapStore() {
            @Override
            protected void before(String operation, TreePath path) throws SystemCallException {
                if (operation.equals("open") && path.equals(path("d3/deep/f4"))) {
                    throw new SystemCallException("open", Errno.EACCES);
                }
                if (operation.equals("list") && path.equals(path("d5"))) {
                    throw new SystemCallException("getdents64", Errno.EIO);
                }
            }
        });
        MapStore to = new MapStore();
        CopyResult result = copy(from, to, threads(3).build());
        assertThat(result.isComplete()).isTrue();
        assertThat(failures).extracting(EntryFailure::path, EntryFailure::errno)
                .containsExactlyInAnyOrder(tuple(path("d3/deep/f4"), Errno.EACCES), tuple(path("d5"), Errno.EIO));
        assertThat(failures).allMatch(failure -> failure.root().equals(NAMES.source().path()));
        // Without the failed file, the link of d5 and the 11 entries below it.
        assertThat(to.describe()).hasSize(from.describe().size() - 13)
                .containsEntry(path("d3"), from.describe().get(path("d3")));
        assertThat(to.describe().get(path("d5"))).as("not finished").isNotEqualTo(from.describe().get(path("d5")));
    }

    @Test
    void aNameThatNoEntryCanHaveIsReportedAndTheRestIsCopied() {
        MapStore from = fill(new MapStore());
        MapStore to = new MapStore();
        CopyResult result = copy(() -> new ForwardingSource(from.source()) {
            @Override
            public void list(TreePath directory, Listing listing) throws SystemCallException {
                if (directory.equals(path("d3"))) {
                    listing.entry("../up".getBytes(StandardCharsets.UTF_8), EntryKind.REGULAR);
                    listing.entry(new byte[0], EntryKind.DIRECTORY);
                }
                super.list(directory, listing);
            }
        }, to::target, threads(2).build());
        assertThat(result.isComplete()).isTrue();
        assertThat(failures).extracting(EntryFailure::path, EntryFailure::errno)
                .containsExactly(tuple(path("d3"), Errno.EIO), tuple(path("d3"), Errno.EIO));
        assertThat(to.describe()).isEqualTo(from.describe());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSideThatCannotBeOpenedEndsTheCopyWithOneError(boolean isSource) {
        MapStore from = fill(new MapStore());
        MapStore to = new MapStore();
        SystemCallException refused = new SystemCallException("open", Errno.EACCES);
        CopyResult result = copy(() -> {
            if (isSource) {
                throw refused;
            }
            return from.source();
        }, () -> {
            if (!isSource) {
                throw refused;
            }
            return to.target();
        }, threads(3).build());
        assertThat(result.isSuccess()).isFalse();
        assertThat(result.isComplete()).isFalse();
        assertThat(failures).extracting(EntryFailure::root, EntryFailure::errno)
                .containsExactly(tuple(isSource ? NAMES.source().path() : NAMES.target(), Errno.EACCES));
    }

    @Test
    void aStoreThatTakesDataInOrderGetsAllFiles() {
        MapStore from = fill(new MapStore());
        MapStore to = new MapStore() {
            @Override
            protected MapFile created(TreePath path, MapFile.Content data) {
                return new OrderedMapFile(data);
            }
        };
        CopyOptions options = threads(2).verify(CopyOptions.Verify.XXH3).build();
        assertThat(copy(from, to, options).isSuccess()).as("%s", failures).isTrue();
        assertThat(to.describe()).isEqualTo(from.describe());
    }

    @Test
    void errorsThatPassAreRetried() {
        AtomicInteger opens = new AtomicInteger();
        AtomicInteger commits = new AtomicInteger();
        MapStore from = fill(new MapStore() {
            @Override
            protected void before(String operation, TreePath path) throws SystemCallException {
                if (operation.equals("open") && path.equals(path("large")) && opens.incrementAndGet() < 3) {
                    throw new SystemCallException("open", Errno.ESTALE);
                }
            }
        });
        MapStore to = new MapStore() {
            @Override
            protected void before(String operation, TreePath path) throws SystemCallException {
                if (operation.equals("commit") && path.equals(path("sparse")) && commits.incrementAndGet() < 3) {
                    throw new SystemCallException("rename", Errno.EAGAIN);
                }
            }
        };
        assertThat(copy(from, to, threads(2).build()).isSuccess()).isTrue();
        assertThat(to.describe()).isEqualTo(from.describe());
        assertThat(opens.get()).isEqualTo(3);
        assertThat(commits.get()).isEqualTo(3);
    }

    @Test
    void aFilterExcludesEntriesAndAllBelowThem() {
        MapStore from = fill(new MapStore());
        MapStore to = new MapStore();
        CopyOptions options = threads(2).filter((path, isDirectory) -> path.equals(path("large")) && !isDirectory
                || path.equals(path("d3")) && isDirectory).build();
        assertThat(copy(from, to, options).isSuccess()).isTrue();
        SortedMap<TreePath, String> expected = from.describe();
        expected.keySet().removeIf(path -> path.equals(path("large")) || path.startsWith(path("d3")));
        assertThat(to.describe()).isEqualTo(expected);
    }

    @Test
    void aFullTargetEndsTheCopy() {
        MapStore to = new MapStore() {
            @Override
            protected void before(String operation, TreePath path) throws SystemCallException {
                if (operation.equals("create") || operation.equals("makeLink") || operation.equals("makeNode")) {
                    throw new SystemCallException("open", Errno.ENOSPC);
                }
            }
        };
        CopyResult result = copy(fill(new MapStore()), to, threads(2).build());
        assertThat(result.isComplete()).isFalse();
        assertThat(failures).hasSizeBetween(32, 40)
                .allMatch(failure -> failure.errno() == Errno.ENOSPC && failure.root().equals(NAMES.target()));
    }

    @Test
    void dataThatReadBackDifferentlyGetNoName() {
        MapStore to = new MapStore() {
            @Override
            protected MapFile created(TreePath path, MapFile.Content data) {
                return path.equals(path("large")) ? new Corrupting(data) : super.created(path, data);
            }
        };
        CopyResult result = copy(fill(new MapStore()), to,
                threads(2).verify(CopyOptions.Verify.SHA256).reflink(CopyOptions.When.NEVER).build());
        assertThat(result.failures()).containsOnlyKeys(EntryFailure.Kind.CORRUPT);
        assertThat(failures).extracting(EntryFailure::path).containsExactly(path("large"));
        assertThat(to.describe()).doesNotContainKey(path("large"));
        assertThat(to.unnamedFiles()).isZero();
    }

    /** A tree that passes each call on to another. */
    private static class ForwardingSource implements SourceTree {
        private final SourceTree tree;

        ForwardingSource(SourceTree tree) {
            this.tree = tree;
        }

        @Override
        public void list(TreePath directory, Listing listing) throws SystemCallException {
            tree.list(directory, listing);
        }

        @Override
        public FileStatus status(TreePath entry) throws SystemCallException {
            return tree.status(entry);
        }

        @Override
        public SourceFile open(TreePath file) throws SystemCallException {
            return tree.open(file);
        }

        @Override
        public ByteString linkTarget(TreePath link) throws SystemCallException {
            return tree.linkTarget(link);
        }

        @Override
        public void close() {
            tree.close();
        }
    }

    /** A file in which each write at an offset changes a byte. */
    private static final class Corrupting extends MapFile {
        Corrupting(Content data) {
            super(data);
        }

        @Override
        public void write(MemorySegment data, long offset) throws SystemCallException {
            super.write(data, offset);
            content().corrupt(offset);
        }
    }

    @Test
    void aSourceThatKeepsChangingIsReported() {
        AtomicInteger tries = new AtomicInteger();
        MapStore from = fill(new MapStore() {
            @Override
            protected MapFile opened(TreePath path, MapFile.Content data) {
                if (path.equals(path("large"))) {
                    tries.incrementAndGet();
                }
                return !path.equals(path("large")) ? super.opened(path, data) : new MapFile(data) {
                    @Override
                    public long read(MemorySegment into, long offset) throws SystemCallException {
                        long n = super.read(into, offset);
                        content().corrupt(offset);
                        setSize(status().size());
                        return n;
                    }
                };
            }
        });
        MapStore to = new MapStore();
        CopyResult result = copy(from, to, threads(1).reflink(CopyOptions.When.NEVER).build());
        assertThat(result.failures()).containsOnlyKeys(EntryFailure.Kind.CHANGED);
        assertThat(tries.get()).isEqualTo(2);
        assertThat(to.describe()).doesNotContainKey(path("large"));
    }

    @Test
    void aCancelledCopyLeavesNoFileWithoutAName() {
        AtomicInteger commits = new AtomicInteger();
        MapStore to = new MapStore() {
            @Override
            protected void before(String operation, TreePath path) {
                if (operation.equals("commit") && commits.incrementAndGet() == 20) {
                    cancellation.cancel();
                }
            }
        };
        MapStore from = fill(new MapStore());
        CopyResult result = copy(from, to, threads(3).build());
        assertThat(result.isComplete()).isFalse();
        assertThat(failures).isEmpty();
        assertThat(to.unnamedFiles()).isZero();
        assertThat(to.describe()).hasSizeLessThan(from.describe().size());
        // A directory that is not whole is not finished.
        assertThat(to.describe().get(TreePath.root())).isNotEqualTo(from.describe().get(TreePath.root()));
    }

    @Test
    void aFaultOfAStoreReachesTheCaller() {
        MapStore to = new MapStore() {
            @Override
            protected void before(String operation, TreePath path) {
                if (operation.equals("makeLink")) {
                    throw new IllegalStateException("a fault");
                }
            }
        };
        assertThatThrownBy(() -> copy(fill(new MapStore()), to, threads(4).build()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a fault");
    }

    @Test
    void aRootThatIsAFileIsCopiedAlone() throws SystemCallException {
        MapStore from = fill(new MapStore());
        MapStore to = new MapStore();
        TargetTree tree = to.target();
        directory(tree, "");
        CopyResult result = copy(() -> new SubtreeSource(from.source(), path("d3/deep/f5")),
                () -> new SubtreeTarget(to.target(), path("g")), threads(2).build());
        assertThat(result.isSuccess()).as("%s", failures).isTrue();
        assertThat(result.counts().entries()).isOne();
        assertThat(to.data(path("g")).bytes()).isEqualTo(from.data(path("d3/deep/f5")).bytes());
        assertThat(copy(() -> new SubtreeSource(from.source(), path("d3")),
                () -> new SubtreeTarget(to.target(), path("copy")), threads(2).build()).isSuccess()).isTrue();
        assertThat(to.describe().get(path("copy/deep/f5"))).isEqualTo(from.describe().get(path("d3/deep/f5")));
    }

    @Test
    void onlyEntriesThatMeetTheConditionsAreCopied() {
        MapStore from = fill(new MapStore());
        MapStore to = new MapStore();
        CopyOptions options = threads(2)
                .where(FileQuery.parse(List.of(ByteString.of("name=f5"), ByteString.of("size>100"))))
                .build();
        assertThat(copy(from, to, options).counts().files()).isEqualTo(10);
        assertThat(to.describe()).hasSize(52).containsKey(path("d10/deep/f5")).doesNotContainKey(path("d9/deep/f5"));
    }

    @Test
    void existingFilesAreKeptIfTheOptionsSaySo() {
        MapStore from = fill(new MapStore());
        MapStore to = new MapStore();
        assertThat(copy(from, to, threads(2).build()).isSuccess()).isTrue();
        CopyResult again = copy(from, to, threads(2).existing(CopyOptions.Existing.UPDATE).build());
        assertThat(again.counts().files()).isZero();
        assertThat(again.counts().skipped()).isEqualTo(223);
        try (TargetTree tree = from.target()) {
            NewFile newer = tree.create(path("d1/deep/f1"), MapStore.metadata(EntryKind.REGULAR, 0600, 100_000));
            newer.commit();
        } catch (SystemCallException e) {
            throw new AssertionError(e);
        }
        assertThat(copy(from, to, threads(2).existing(CopyOptions.Existing.SKIP).build()).counts().files()).isZero();
        assertThat(copy(from, to, threads(2).existing(CopyOptions.Existing.UPDATE).build()).counts().files()).isOne();
        assertThat(to.describe()).isEqualTo(from.describe());
    }

    @Test
    void aDryRunChangesNothing() {
        MapStore from = fill(new MapStore());
        MapStore to = new MapStore();
        CopyResult result = copy(from, to, threads(2).dryRun(true).build());
        assertThat(to.describe()).isEmpty();
        assertThat(result.counts().entries()).isEqualTo(from.describe().size());
        assertThat(result.counts().bytes()).isEqualTo(3_000_001 + 20_000_000 + 200 * 199 / 2);
    }

    @Test
    void optionsThatStoresDoNotSupportAreRefused() {
        MapStore store = new MapStore();
        for (CopyOptionsBuilder options : List.of(threads(1).form(CopyOptions.Form.HARD_LINK),
                threads(1).symlinks(Symlinks.ALWAYS), threads(1).removeDestination(true), threads(1).inPlace(true),
                threads(1).copyContents(true), threads(1).attributesOnly(true), threads(1).oneFileSystem(true),
                threads(1).confirmation(path -> true))) {
            assertThatThrownBy(() -> StoreCopier.of(NAMES, store::source, store::target, options.build()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> StoreCopier.of(NAMES, store::source, store::target,
                threads(1).inPlace(true).oneFileSystem(true).build()))
                .hasMessage("not possible between stores: writing in place, one file system");
        SourceTree missing = store.source();
        assertThatThrownBy(() -> missing.status(TreePath.root())).isInstanceOf(SystemCallException.class);
        assertThat(copy(store, new MapStore(), threads(1).build()).failures())
                .containsOnlyKeys(EntryFailure.Kind.ERROR);
    }
}
