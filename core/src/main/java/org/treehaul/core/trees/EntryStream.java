// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.trees;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeVisitor;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;

/** The entries of a walk that runs in a thread of its own, one after another. */
final class EntryStream extends Spliterators.AbstractSpliterator<Entry> {

    // Large enough that the threads of a walk continue while the caller works on one entry, and small in memory.
    private static final int CAPACITY = 512;

    /** The end of the walk is an empty element. */
    private final BlockingQueue<Optional<Entry>> found = new LinkedBlockingQueue<>(CAPACITY);
    private final Cancellation cancellation = new Cancellation();
    private final Thread thread;
    private volatile @Nullable Throwable fault;
    private volatile boolean isClosed;
    private boolean isStarted;
    private boolean isAtEnd;

    private EntryStream(TreeWalker walker, Root root) {
        super(Long.MAX_VALUE, Spliterator.NONNULL | Spliterator.IMMUTABLE | Spliterator.DISTINCT);
        thread = Thread.ofPlatform().name("treehaul-stream").daemon(true).unstarted(() -> {
            try {
                walker.walk(List.of(root), () -> (TreeVisitor) this::put, cancellation);
            } catch (RuntimeException | Error e) {
                fault = e;
            }
            offer(Optional.empty());
        });
    }

    static Stream<Entry> of(TreeWalker walker, Root root) {
        EntryStream entries = new EntryStream(walker, root);
        return StreamSupport.stream(entries, false).onClose(entries::close);
    }

    private Step put(Entry entry) {
        return offer(Optional.of(entry)) ? Step.CONTINUE : Step.QUIT;
    }

    // Returns false if the consumer takes no more elements.
    private boolean offer(Optional<Entry> element) {
        if (cancellation.isCancelled()) {
            return false;
        }
        try {
            found.put(element);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public boolean tryAdvance(Consumer<? super Entry> action) {
        if (isAtEnd) {
            return false;
        }
        checkOpen();
        if (!isStarted) {
            isStarted = true;
            thread.start();
        }
        Optional<Entry> next;
        try {
            next = found.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new InterruptedIOException("interrupted while waiting for entries"));
        }
        if (next.isEmpty()) {
            checkOpen();
        }
        next.ifPresent(action);
        if (next.isPresent()) {
            return true;
        }
        isAtEnd = true;
        switch (fault) {
            case null -> {
                return false;
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    // Whatever came before the end of the walk would seem to be all entries.
    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("the stream of entries was closed");
        }
    }

    private void close() {
        isClosed = true;
        cancellation.cancel();
        // Threads of the walk that wait for room see the cancellation when they get it.
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            found.clear();
            try {
                thread.join(1);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        // Another thread may wait for the next entry.
        found.clear();
        found.add(Optional.empty());
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
