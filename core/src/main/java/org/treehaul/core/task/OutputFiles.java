// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_TRUNC;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;
import static org.treehaul.core.fs.LinuxConstants.SEEK_END;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/**
 * Outputs as files in a directory: NUMBER.NAME.out and NUMBER.NAME.err, where NAME is the last name of the path. Files
 * without content are removed when the task has ended, so that a failed task is easily found.
 */
public final class OutputFiles implements TaskOutputs {

    private static final int O_APPEND = 02000; // asm-generic/fcntl.h
    private static final int LONGEST_NAME = 200;
    private static final int NAME_MAX = 255;
    private static final int ENDING = ".out".length();

    private final FileSystemCalls calls;
    private final int directory;

    private OutputFiles(FileSystemCalls calls, int directory) {
        this.calls = calls;
        this.directory = directory;
    }

    /**
     * Opens a directory.
     *
     * @throws SystemCallException if it does not exist
     */
    public static OutputFiles in(FileSystemCalls calls, ByteString directory) throws SystemCallException {
        try (FileAccess access = FileAccess.open(calls)) {
            return new OutputFiles(calls, LongPath.open(access, directory, O_DIRECTORY | O_PATH));
        }
    }

    @Override
    public Opened open(long number, String label, ByteString path) throws SystemCallException {
        ByteString outName = out(label, path);
        ByteString errName = err(label, path);
        int out = make(outName);
        try {
            int err = make(errName);
            return new Opened(out, err, () -> {
                try {
                    end(out, outName);
                } finally {
                    end(err, errName);
                }
            });
        } catch (SystemCallException e) {
            calls.close(out);
            throw e;
        }
    }

    /**
     * Returns the number of an entry of a batch in the names of files.
     *
     * @param index the index of the entry in the batch
     */
    public static String label(int batch, int index) {
        return String.format(Locale.ROOT, "%06d-%07d", batch, index);
    }

    /** Returns the name of the file with the standard output of an entry. */
    public static ByteString out(String label, ByteString path) {
        return name(stem(label, path), ".out");
    }

    /** Returns the name of the file with the standard error of an entry. */
    public static ByteString err(String label, ByteString path) {
        return name(stem(label, path), ".err");
    }

    private static byte[] stem(String label, ByteString path) {
        byte[] bytes = path.toBytes();
        int end = bytes.length;
        while (end > 1 && bytes[end - 1] == '/') {
            end--;
        }
        int from = end;
        while (from > 0 && bytes[from - 1] != '/') {
            from--;
        }
        ByteArrayOutputStream stem = new ByteArrayOutputStream();
        stem.writeBytes((label + ".").getBytes(StandardCharsets.US_ASCII));
        // A label may have the name of a node.
        int room = Math.clamp(NAME_MAX - ENDING - stem.size(), 0, LONGEST_NAME);
        stem.write(bytes, from, Math.min(end - from, room));
        return stem.toByteArray();
    }

    private static ByteString name(byte[] stem, String ending) {
        return ByteString.of(stem).plus(ByteString.of(ending));
    }

    private int make(ByteString name) throws SystemCallException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = FileAccess.put(arena.allocate(name.length() + 1L), name);
            // A process that has lost the entry may still write to the file of this name: it keeps that one.
            calls.unlinkat(directory, path, 0);
            return FileAccess.check("open the output (" + name + ")",
                    calls.openat(directory, path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW, 0666));
        }
    }

    // Some file systems report only at the end that there was no room for what a Java class has written.
    private void end(int descriptor, ByteString name) throws SystemCallException {
        boolean isUseless = calls.lseek(descriptor, 0, SEEK_END) == 0 && isAt(name, descriptor);
        int closed = calls.close(descriptor);
        // After EINTR it is closed as well.
        FileAccess.check("close the output (" + name + ")", closed == -Errno.EINTR ? 0 : closed);
        if (isUseless) {
            try (Arena arena = Arena.ofConfined()) {
                calls.unlinkat(directory, FileAccess.put(arena.allocate(name.length() + 1L), name), 0);
            }
        }
    }

    // Another process may have made a file of this name for the same entry since.
    private boolean isAt(ByteString name, int descriptor) {
        try (FileAccess access = FileAccess.open(calls)) {
            FileStatus there = access.find(directory, access.name(name.toBytes()), false);
            FileStatus here = access.status(descriptor);
            return there != null && there.inode() == here.inode() && there.device() == here.device();
        } catch (SystemCallException e) {
            return false;
        }
    }

    @Override
    public void close() {
        calls.close(directory);
    }
}
