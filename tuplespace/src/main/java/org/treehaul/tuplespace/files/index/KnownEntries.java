// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The space's tuples of one directory in the order of names, read page by page. The caller may change tuples that were
 * returned, but not those that follow.
 */
final class KnownEntries {

    private static final String NAME = FileField.NAME.label();
    private static final int LEAST = 8;

    private final TupleOperations tuples;
    private final Template<FileTuple> inside;
    private final ArrayDeque<FileTuple> page = new ArrayDeque<>();
    private long size;
    private @Nullable ByteString from;
    private boolean isLast;

    /**
     * Starts at the first name.
     *
     * @param bytes memory for one page; each of its tuples includes its directory
     */
    KnownEntries(TupleOperations tuples, ByteString directory, long bytes) {
        this.tuples = tuples;
        inside = Template.of(FileTuple.class).equal(FileField.DIRECTORY.label(), directory);
        size = Math.max(LEAST, bytes / (GatheredDirectory.ENTRY + directory.length()));
    }

    /** Returns the tuples with the next name; empty at the end. There are several if the space has a path twice. */
    List<FileTuple> next() {
        while (page.isEmpty() && !isLast) {
            read();
        }
        List<FileTuple> same = new ArrayList<>(1);
        while (!page.isEmpty() && (same.isEmpty() || page.getFirst().name().equals(same.getFirst().name()))) {
            same.add(page.removeFirst());
        }
        return same;
    }

    private void read() {
        Template<FileTuple> rest = from == null ? inside : inside.atLeast(NAME, from);
        try (Stream<FileTuple> stream = tuples.contents(rest, Order.by(NAME), size)) {
            stream.forEach(page::add);
        }
        isLast = page.size() < size;
        if (!isLast) {
            // More tuples with the last name may follow, so the next page reads it again.
            ByteString last = page.getLast().name();
            from = last;
            page.removeIf(tuple -> tuple.name().equals(last));
            size = page.isEmpty() ? 2 * size : size;
        }
    }
}
