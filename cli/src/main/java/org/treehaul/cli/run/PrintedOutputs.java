// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_RDWR;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.Session;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.spool.ScratchDirectory;
import org.treehaul.core.task.TaskOutputs;

/**
 * Prints the outputs of each task when it has ended, in one piece. Until then they are in files without names, so that
 * outputs of any size need no memory. With {@code --json} both go to standard error.
 */
final class PrintedOutputs implements TaskOutputs {

    // How many tasks may have ended before one whose output comes first; each has two open files.
    private static final int MOST_WAITING = 200;
    private static final int O_APPEND = 02000; // asm-generic/fcntl.h

    private final FileSystemCalls calls = Linux.calls();
    private final Session session;
    private final EventListener listener;
    private final OutputPrinter printer;
    private final boolean isOrdered;
    private final ByteString directory = ByteString.of(ScratchDirectory.parent());
    private final Map<Long, Kept> waiting = new HashMap<>();
    private long next;

    PrintedOutputs(Session session, EventListener listener, boolean isOrdered, boolean isTagged) {
        this.session = session;
        this.listener = listener;
        this.printer = new OutputPrinter(session, isTagged);
        this.isOrdered = isOrdered;
    }

    @Override
    public Opened open(long number, String label, ByteString path) throws SystemCallException {
        if (isOrdered) {
            awaitTurn(number);
        }
        int out = -1;
        try {
            out = temporary();
            Kept kept = new Kept(path, out, temporary());
            return new Opened(kept.out, kept.err, () -> ended(number, kept));
        } catch (SystemCallException e) {
            if (out >= 0) {
                calls.close(out);
            }
            ended(number, new Kept(path, -1, -1));
            throw e;
        }
    }

    // The first of the tasks whose outputs are awaited has begun, so that it ends.
    private synchronized void awaitTurn(long number) {
        boolean isInterrupted = false;
        while (number >= next + MOST_WAITING) {
            try {
                wait();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private int temporary() throws SystemCallException {
        try (Arena arena = Arena.ofConfined()) {
            int opened = calls.openat(AT_FDCWD, FileAccess.put(arena.allocate(directory.length() + 1L), directory),
                    O_TMPFILE | O_RDWR | O_APPEND, 0600);
            return opened >= 0 ? opened : named(arena, opened);
        }
    }

    // Not every file system has files without names.
    private int named(Arena arena, int failed) throws SystemCallException {
        if (!Errno.isUnsupported(-failed) && failed != -Errno.EISDIR) {
            throw new SystemCallException("make a file in " + directory, -failed);
        }
        try {
            Path file = Files.createTempFile(ScratchDirectory.parent(), "treehaul-output-", "");
            ByteString name = ByteString.of(file);
            try {
                return FileAccess.check("open " + name, calls.openat(AT_FDCWD,
                        FileAccess.put(arena.allocate(name.length() + 1L), name), O_RDWR | O_APPEND, 0));
            } finally {
                Files.delete(file);
            }
        } catch (SystemCallException e) {
            throw e;
        } catch (IOException e) {
            throw new SystemCallException("make a file: " + ByteString.of(String.valueOf(e)), 0);
        }
    }

    private synchronized void ended(long number, Kept kept) throws SystemCallException {
        if (!isOrdered) {
            kept.print();
            return;
        }
        waiting.put(number, kept);
        SystemCallException failure = null;
        for (@Nullable Kept first = waiting.remove(next); first != null; first = waiting.remove(next)) {
            next++;
            try {
                first.print();
            } catch (SystemCallException e) {
                if (first == kept) {
                    failure = e;
                } else {
                    lost(first, e);
                }
            }
        }
        notifyAll();
        if (failure != null) {
            throw failure;
        }
    }

    /** Prints what is left: tasks that were stopped may have left gaps. */
    @Override
    public synchronized void close() {
        for (Kept kept : new TreeMap<>(waiting).values()) {
            try {
                kept.print();
            } catch (SystemCallException e) {
                lost(kept, e);
            }
        }
        waiting.clear();
    }

    // Its task ended well, and is counted already.
    private void lost(Kept kept, SystemCallException cause) {
        session.progress().entryFailed();
        listener.onEvent(new Event.Failed(EntryFailure.of(kept.path, TreePath.root(), cause)));
    }

    private final class Kept {

        private final ByteString path;
        private final int out;
        private final int err;

        Kept(ByteString path, int out, int err) {
            this.path = path;
            this.out = out;
            this.err = err;
        }

        void print() throws SystemCallException {
            if (out < 0) {
                return;
            }
            try {
                printer.print(path, out, err);
            } finally {
                calls.close(out);
                calls.close(err);
            }
        }
    }
}
