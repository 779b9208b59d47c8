// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.listing.DirectoryRecords;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Walks for tests, and their results. */
final class Walks {

    private Walks() {}

    /**
     * The results of a walk.
     *
     * @param result the result
     * @param inOrder the entries in the order in which they were visited, over all threads
     * @param failures the failures, as text
     */
    record Seen(WalkResult<?> result, List<Entry> inOrder, List<String> failures) {}

    static ByteString path(String text) {
        return ByteString.of(text);
    }

    static ByteString path(Path path) {
        return ByteString.of(path.toString());
    }

    static Seen walk(FaultInjectingCalls calls, WalkOptions options, Root... roots) {
        return walk(calls, options, entry -> Step.CONTINUE, new Cancellation(), roots);
    }

    /** Walks, and fails if a descriptor is left open. */
    static Seen walk(FaultInjectingCalls calls, WalkOptions options, Function<Entry, Step> visitor,
            Cancellation cancellation, Root... roots) {
        List<Entry> entries = Collections.synchronizedList(new ArrayList<>());
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        try {
            WalkResult<TreeVisitor> result = TreeWalker.of(calls, options)
                    .walk(List.of(roots), () -> new TreeVisitor() {
                        @Override
                        public Step visit(Entry entry) {
                            entries.add(entry);
                            return visitor.apply(entry);
                        }

                        @Override
                        public void failed(EntryFailure failure) {
                            failures.add(failure.kind() + " " + failure.path() + " " + failure.operation() + " "
                                    + failure.errno());
                        }
                    }, cancellation);
            return new Seen(result, List.copyOf(entries), List.copyOf(failures));
        } finally {
            assertThat(calls.openDescriptors()).as("left open").isEmpty();
        }
    }

    /** Returns the entries as kind and path, sorted. */
    static List<String> entries(Seen seen) {
        return seen.inOrder().stream().map(Entry::toString).sorted().toList();
    }

    /** Returns the directories that were incomplete when the handler left them. */
    static List<String> incompleteDirectories(FileSystemCalls calls, WalkOptions options, Root root) {
        List<String> incomplete = Collections.synchronizedList(new ArrayList<>());
        TreeWalker.of(calls, options)
                .walkWith(List.of(root), (WalkWorker<Boolean> worker) -> new WalkHandler<Boolean>() {
                    @Override
                    public Step entry(FoundEntry<Boolean> found) {
                        return Step.CONTINUE;
                    }

                    @Override
                    public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> own) {
                        return Boolean.TRUE;
                    }

                    @Override
                    public void leave(WalkDirectory<Boolean> directory, WalkWorker<Boolean> own) {
                        if (directory.isIncomplete()) {
                            incomplete.add(directory.path().toString());
                        }
                    }

                    @Override
                    public void failed(EntryFailure failure) {
                        // Checked elsewhere.
                    }
                }, new Cancellation(), workers -> {
                });
        return List.copyOf(incomplete);
    }

    /** Returns calls whose listings give this position behind the last record of each block. */
    static FileSystemCalls withLastPosition(FileSystemCalls calls, long position) {
        return changing(calls, (records, at, isLast) -> {
            if (isLast) {
                records.set(ValueLayout.JAVA_LONG_UNALIGNED, at + 8L, position);
            }
        });
    }

    /** Returns calls on a file system of this type. */
    static FileSystemCalls on(long type, FileSystemCalls calls) {
        return (FileSystemCalls) Proxy.newProxyInstance(Walks.class.getClassLoader(),
                new Class<?>[]{FileSystemCalls.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("fstatfs")) {
                        ((MemorySegment) arguments[1]).set(ValueLayout.JAVA_LONG, 0, type);
                        return 0;
                    }
                    return method.invoke(calls, arguments);
                });
    }

    /** Returns calls whose listings contain no kinds (DT_UNKNOWN), as on some file systems. */
    static FileSystemCalls withoutKinds(FileSystemCalls calls) {
        return changing(calls, (records, at, isLast) -> records.set(ValueLayout.JAVA_BYTE, at + 18L, (byte) 0));
    }

    private interface Change {
        void of(MemorySegment records, int at, boolean isLast);
    }

    private static FileSystemCalls changing(FileSystemCalls calls, Change change) {
        return (FileSystemCalls) Proxy.newProxyInstance(Walks.class.getClassLoader(),
                new Class<?>[]{FileSystemCalls.class}, (proxy, method, arguments) -> {
                    Object result;
                    try {
                        result = method.invoke(calls, arguments);
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                    if (method.getName().equals("getdents64")) {
                        MemorySegment records = (MemorySegment) arguments[1];
                        for (int at = 0; at < (int) result;) {
                            int next = at + DirectoryRecords.length(records, at);
                            change.of(records, at, next == (int) result);
                            at = next;
                        }
                    }
                    return result;
                });
    }
}
