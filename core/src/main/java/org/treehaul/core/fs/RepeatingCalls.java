// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/**
 * Repeats calls that a signal interrupted (EINTR), as happens on network and user-space file systems. Only close is
 * never repeated: Linux has closed the descriptor, and its number may already be another thread's file.
 */
final class RepeatingCalls extends InterceptedCalls {

    // Signals are rare, so a lasting EINTR is not an interruption but a fault of the file system.
    private static final int TRIES = 100;

    private RepeatingCalls(FileSystemCalls calls) {
        super(calls);
    }

    static FileSystemCalls over(FileSystemCalls calls) {
        return calls instanceof RepeatingCalls ? calls : new RepeatingCalls(calls);
    }

    @Override
    protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
        long answer = made.getAsLong();
        for (int i = 1; i < TRIES && answer == -Errno.EINTR && call != Call.CLOSE; i++) {
            answer = made.getAsLong();
        }
        return answer;
    }
}
