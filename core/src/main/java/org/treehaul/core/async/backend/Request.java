// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.backend;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.STATX_SIZE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.InvalidPathException;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;

/**
 * One call of the kernel. The backend refers to it until the kernel has answered, and so keeps the memory.
 *
 * @param descriptor the file, or the directory of the name
 * @param memory the data, or the name
 * @param offset the position in the file
 * @param flags of open, or the mask of a status
 * @param mode of a new file
 * @param status the memory for a status
 * @param answered receives the answer, on the thread that has it
 */
public record Request(Kind kind, int descriptor, MemorySegment memory, long offset, int flags, int mode,
        MemorySegment status, Answered answered) {

    /** The calls. */
    public enum Kind {
        /** No call: the answer is 0, on a thread that has answers. */
        NONE,
        OPEN,
        CLOSE,
        READ,
        WRITE,
        REMOVE,
        STATUS,
        SYNC
    }

    /** Receives an answer: zero or more, or {@code -errno}. */
    @FunctionalInterface
    public interface Answered {
        /** Takes the answer. */
        void answered(long result);

        /**
         * Takes the failure of a backend that can say more than an error number.
         *
         * @param errno more than 0
         */
        default void failed(int errno, Exception cause) {
            answered(-errno);
        }
    }

    /** Opens a name. */
    public static Request open(MemorySegment name, int flags, int mode, Answered answered) {
        return new Request(Kind.OPEN, AT_FDCWD, name, 0, flags, mode, MemorySegment.NULL, answered);
    }

    /** Removes a name. */
    public static Request remove(MemorySegment name, Answered answered) {
        return new Request(Kind.REMOVE, AT_FDCWD, name, 0, 0, 0, MemorySegment.NULL, answered);
    }

    /** Closes or syncs a file, or does nothing. */
    public static Request of(Kind kind, int descriptor, Answered answered) {
        return new Request(kind, descriptor, MemorySegment.NULL, 0, 0, 0, MemorySegment.NULL, answered);
    }

    /** Reads or writes data. */
    public static Request data(Kind kind, int descriptor, MemorySegment data, long offset, Answered answered) {
        return new Request(kind, descriptor, data, offset, 0, 0, MemorySegment.NULL, answered);
    }

    /** Reads the status of an open file, into memory of this request. */
    public static Request status(int descriptor, int mask, Answered answered) {
        return new Request(Kind.STATUS, descriptor, FileAccess.emptyName(), 0, mask, AT_EMPTY_PATH,
                Arena.ofAuto().allocate(STATX_SIZE, Long.BYTES), answered);
    }

    /**
     * Returns a name for a request. Refuses a NUL, at which the kernel would end it: that is the name of another file.
     */
    public static MemorySegment name(ByteString path) {
        byte[] bytes = path.toBytes();
        for (byte value : bytes) {
            if (value == 0) {
                throw new InvalidPathException(ByteString.escape(bytes), "a NUL");
            }
        }
        return FileAccess.put(Arena.ofAuto().allocate(path.length() + 1L), path);
    }
}
