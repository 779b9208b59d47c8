// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import static org.treehaul.core.fs.LinuxConstants.SEEK_END;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.treehaul.cli.common.Session;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;

/**
 * Prints the outputs of tasks, each in one piece. With {@code --json} both go to standard error. Used by one thread at
 * a time.
 */
final class OutputPrinter {

    private static final int PIECE = 64 * 1024;

    private final FileSystemCalls calls = Linux.calls();
    private final Session session;
    private final boolean isTagged;

    OutputPrinter(Session session, boolean isTagged) {
        this.session = session;
        this.isTagged = isTagged;
    }

    /**
     * Prints the files of a task.
     *
     * @throws SystemCallException if one cannot be read; a part of it may have been printed
     */
    void print(ByteString path, int out, int err) throws SystemCallException {
        printOut(path, out);
        printErr(path, err);
    }

    /** Prints a file with standard output. */
    void printOut(ByteString path, int file) throws SystemCallException {
        boolean isJson = session.json().isPresent();
        print(path, file, isJson ? session.screen()::bytes : session.output()::write);
    }

    /** Prints a file with standard error. */
    void printErr(ByteString path, int file) throws SystemCallException {
        print(path, file, session.screen()::bytes);
    }

    private void print(ByteString path, int file, Sink sink) throws SystemCallException {
        long size = check(path, calls.lseek(file, 0, SEEK_END));
        if (size > 0) {
            try (Arena arena = Arena.ofConfined()) {
                print(path, file, size, arena.allocate(PIECE), sink);
            }
            session.output().flush();
        }
    }

    private void print(ByteString path, int file, long size, MemorySegment buffer, Sink sink)
            throws SystemCallException {
        Lines lines = new Lines(sink, tag(path));
        byte[] bytes = new byte[PIECE];
        try {
            for (long at = 0; at < size;) {
                int read = (int) check(path, calls.pread(file, buffer.asSlice(0, Math.min(PIECE, size - at)), at));
                if (read == 0) {
                    break;
                }
                MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, bytes, 0, read);
                lines.write(bytes, read);
                at += read;
            }
        } finally {
            lines.end();
        }
    }

    private static long check(ByteString path, long result) throws SystemCallException {
        if (result < 0) {
            throw new SystemCallException("read the output (for " + path + ")", (int) -result);
        }
        return result;
    }

    private byte[] tag(ByteString path) {
        if (!isTagged) {
            return new byte[0];
        }
        ByteString shown = session.escapes() ? ByteString.of(path.toString()) : path;
        return shown.plus(ByteString.of("\t")).toBytes();
    }

    /** Receives the first bytes of an array. */
    private interface Sink {
        void write(byte[] bytes, int length);
    }

    /** Writes bytes with a tag before each line. */
    private static final class Lines {

        private final Sink sink;
        private final byte[] tag;
        private boolean isInLine;

        Lines(Sink sink, byte[] tag) {
            this.sink = sink;
            this.tag = tag;
        }

        void write(byte[] bytes, int length) {
            if (tag.length == 0) {
                sink.write(bytes, length);
                return;
            }
            ByteArrayOutputStream tagged = new ByteArrayOutputStream(length + tag.length);
            for (int i = 0; i < length; i++) {
                if (!isInLine) {
                    tagged.writeBytes(tag);
                    isInLine = true;
                }
                tagged.write(bytes[i]);
                isInLine = bytes[i] != '\n';
            }
            sink.write(tagged.toByteArray(), tagged.size());
        }

        void end() {
            if (isInLine) {
                sink.write(new byte[]{'\n'}, 1);
            }
        }
    }
}
