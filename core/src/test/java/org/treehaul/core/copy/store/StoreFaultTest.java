// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.MapFile;
import org.treehaul.core.storage.MapStore;
import org.treehaul.core.storage.NewFile;
import org.treehaul.core.storage.TargetTree;
import org.treehaul.core.walk.options.Root;

/** Each call that a copy makes to its stores fails once: the copy reports the entry, or the data are right. */
class StoreFaultTest {

    private static final CopyPair NAMES = new CopyPair(Root.of(ByteString.of("map:from")), ByteString.of("map:to"));

    /** Counts the calls to the stores of one copy, of which one fails. */
    private static final class Fault {
        private final int failing;
        private final int errno;
        private int calls;
        private int openFiles;
        private String failed = "";

        Fault(int failing, int errno) {
            this.failing = failing;
            this.errno = errno;
        }

        void call(String operation, TreePath path) throws SystemCallException {
            if (calls++ == failing) {
                failed = operation + " of '" + path + "'";
                throw new SystemCallException(operation, errno);
            }
        }
    }

    /** A map whose calls, and those of its files, may fail. */
    private static final class FaultyStore extends MapStore {
        private Fault fault = new Fault(-1, 0);

        @Override
        protected void before(String operation, TreePath path) throws SystemCallException {
            fault.call(operation, path);
        }

        @Override
        protected MapFile opened(TreePath path, MapFile.Content data) {
            fault.openFiles++;
            return new FaultyFile(path, data, fault);
        }

        @Override
        protected MapFile created(TreePath path, MapFile.Content data) {
            return new FaultyFile(path, data, fault);
        }
    }

    private static final class FaultyFile extends MapFile {
        private final TreePath path;
        private final Fault fault;

        FaultyFile(TreePath path, Content content, Fault fault) {
            super(content);
            this.path = path;
            this.fault = fault;
        }

        @Override
        public long read(MemorySegment into) throws SystemCallException {
            fault.call("read", path);
            return super.read(into);
        }

        @Override
        public void close() {
            fault.openFiles--;
        }

        @Override
        public long read(MemorySegment into, long offset) throws SystemCallException {
            fault.call("read", path);
            return super.read(into, offset);
        }

        @Override
        public long nextData(long offset) throws SystemCallException {
            fault.call("lseek", path);
            return super.nextData(offset);
        }

        @Override
        public void write(MemorySegment data) throws SystemCallException {
            fault.call("write", path);
            super.write(data);
        }

        @Override
        public void write(MemorySegment data, long offset) throws SystemCallException {
            fault.call("write", path);
            super.write(data, offset);
        }

        @Override
        public boolean isAsynchronous() {
            return path.depth() == 1;
        }

        @Override
        public void setSize(long size) throws SystemCallException {
            fault.call("truncate", path);
            super.setSize(size);
        }
    }

    private static TreePath path(String text) {
        return TreePath.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static FaultyStore randomTree(long seed) throws SystemCallException {
        FaultyStore store = new FaultyStore();
        Random random = new Random(seed);
        List<String> directories = new ArrayList<>(List.of(""));
        try (TargetTree tree = store.target(); Arena arena = Arena.ofConfined()) {
            tree.makeDirectory(TreePath.root(), MapStore.status(EntryKind.DIRECTORY, 0755, 1));
            for (int i = 0; i < 12; i++) {
                String parent = directories.get(random.nextInt(directories.size()));
                String name = parent.isEmpty() ? "e" + i : parent + "/e" + i;
                switch (random.nextInt(5)) {
                    case 0, 1 -> {
                        tree.makeDirectory(path(name), MapStore.status(EntryKind.DIRECTORY, 0755, 1));
                        directories.add(name);
                    }
                    case 2 ->
                        tree.makeLink(path(name), ByteString.of("to"), MapStore.metadata(EntryKind.SYMLINK, 0777, i));
                    case 3 -> file(tree, name, arena.allocate(1 + random.nextInt(9000)).fill((byte) i), 0);
                    // Longer than the buffer, and with a hole.
                    default -> file(tree, name, arena.allocate(600_000).fill((byte) i), 50_000);
                }
            }
            for (String directory : directories) {
                tree.finishDirectory(path(directory), MapStore.metadata(EntryKind.DIRECTORY, 0750, 60));
            }
        }
        return store;
    }

    private static void file(TargetTree tree, String name, MemorySegment data, long offset) throws SystemCallException {
        NewFile file = tree.create(path(name), MapStore.metadata(EntryKind.REGULAR, 0640, 9));
        file.data().write(data, offset);
        file.commit();
    }

    @ParameterizedTest
    @CsvSource({"1,EIO,NONE", "1,ESTALE,XXH3", "2,ENOSPC,NONE", "2,ESTALE,NONE", "3,EIO,XXH3", "3,ESTALE,SHA256"})
    void eachFaultIsReportedOrOvercome(long seed, String error, CopyOptions.Verify verify) throws SystemCallException {
        int errno = switch (error) {
            case "EIO" -> Errno.EIO;
            case "ENOSPC" -> Errno.ENOSPC;
            default -> Errno.ESTALE;
        };
        FaultyStore from = randomTree(seed);
        SortedMap<TreePath, String> expected = from.describe();
        CopyOptions options = CopyOptions.archive().threads(1).verify(verify).reflink(CopyOptions.When.NEVER).build();
        Fault fault;
        int n = 0;
        do {
            fault = new Fault(n++, errno);
            check(from, expected, fault, options);
        } while (!fault.failed.isEmpty());
        assertThat(n).isGreaterThan(expected.size() * 3);
    }

    private static void check(FaultyStore from, SortedMap<TreePath, String> expected, Fault fault,
            CopyOptions options) {
        FaultyStore to = new FaultyStore();
        from.fault = fault;
        to.fault = fault;
        List<EntryFailure> failures = new ArrayList<>();
        CopyResult result = StoreCopier.of(NAMES, from::source, to::target, options).copy(event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure());
            }
        }, new Progress(), new Cancellation());
        String failed = fault.failed;
        assertThat(fault.openFiles).as("files left open after %s", failed).isZero();
        assertThat(to.unnamedFiles()).as("files without a name after %s", failed).isZero();
        assertThat(failures).as(failed).hasSizeLessThanOrEqualTo(1).allMatch(each -> each.errno() == fault.errno);
        assertThat(result.isSuccess()).as(failed).isEqualTo(failures.isEmpty());
        SortedMap<TreePath, String> copied = to.describe();
        if (failures.isEmpty()) {
            assertThat(copied).as(failed).isEqualTo(expected);
            return;
        }
        assertThat(fault.errno).as("an error that may pass: %s", failed).isNotEqualTo(Errno.ESTALE);
        TreePath reported = failures.getFirst().path();
        expected.forEach((path, entry) -> {
            if (!path.startsWith(reported)) {
                assertThat(copied).as(failed).containsEntry(path, entry);
            } else if (!copied.getOrDefault(path, entry).equals(entry)) {
                assertThat(path).as("not whole after %s", failed).isEqualTo(reported);
            }
        });
    }
}
