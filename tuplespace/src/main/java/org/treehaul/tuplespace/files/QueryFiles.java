// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.plan.spool.ScratchDirectory;

/**
 * The sorters of an answer that may not fit into memory. Their private directory is created with the first file. Used
 * by one thread.
 */
final class QueryFiles implements AutoCloseable {

    /** A read or write of a sorter. */
    interface Action<R> {
        R run() throws IOException;
    }

    private final QueryMemory memory;
    private final List<ExternalSort> sorts = new ArrayList<>();
    private @Nullable ScratchDirectory scratch;

    QueryFiles(QueryMemory memory) {
        this.memory = memory;
    }

    /** Returns a new sorter, in ascending order; closed with this object. */
    ExternalSort sort(String name) {
        ExternalSort sort = new ExternalSort(this::directory, name, false, memory.bytes());
        sorts.add(sort);
        return sort;
    }

    private Path directory() throws IOException {
        ScratchDirectory open = scratch;
        if (open == null) {
            open = ScratchDirectory.open(memory.directory(), "treehaul-query-");
            scratch = open;
        }
        return open.path();
    }

    /**
     * Runs an action on a sorter.
     *
     * @throws UncheckedIOException with the directory in the message
     */
    <R> R run(Action<R> action) {
        try {
            return action.run();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private UncheckedIOException failed(IOException e) {
        return new UncheckedIOException("cannot sort the answer in " + memory.directory() + ": "
                + PrivateFiles.reason(e) + "; set SQLITE_TMPDIR to a directory with more room", e);
    }

    /** Returns the records of a sorter in order. The caller closes the stream. */
    <T> Stream<T> stream(ExternalSort sort, BiFunction<byte[], byte[], T> reader) {
        ExternalSort.Records records = run(sort::open);
        return StreamSupport.stream(new Spliterators.AbstractSpliterator<T>(Long.MAX_VALUE, Spliterator.ORDERED) {
            @Override
            public boolean tryAdvance(Consumer<? super T> action) {
                boolean isMore = run(records::advance);
                if (isMore) {
                    action.accept(reader.apply(records.key(), records.content()));
                }
                return isMore;
            }
        }, false).onClose(records::close);
    }

    @Override
    public void close() {
        run(() -> {
            for (ExternalSort sort : sorts) {
                sort.close();
            }
            if (scratch != null) {
                scratch.close();
            }
            return true;
        });
    }
}
