// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;

/**
 * Starts processes by posix_spawnp(3), waits for them and sends them signals. {@link ProcessBuilder} would change the
 * bytes of arguments according to the locale, and starts a helper program for each process. Results follow the
 * convention of {@link org.treehaul.core.fs.FileSystemCalls}. Safe for any number of threads.
 */
@Internal
public final class LinuxProcesses {

    public static final int SIGTERM = 15;
    public static final int SIGKILL = 9;

    // spawn.h of glibc and musl.
    private static final short POSIX_SPAWN_SETPGROUP = 0x02;
    private static final short POSIX_SPAWN_SETSIGMASK = 0x08;
    // Larger than the structures of both libraries on both architectures (glibc 2.41: 80 and 336 bytes).
    private static final long STRUCTURE_BYTES = 512;
    private static final long SIGSET_BYTES = 128; // sigset_t
    private static final long SIGINFO_BYTES = 128; // siginfo_t
    // sys/wait.h.
    private static final int P_PID = 1;
    private static final int WEXITED = 4;
    private static final int WNOWAIT = 0x01000000;
    private static final ByteString SHELL = ByteString.of("/bin/sh");

    private static final MemorySegment SPAWN = Symbols.function("posix_spawnp");
    private static final MemorySegment ACTIONS_INIT = Symbols.function("posix_spawn_file_actions_init");
    private static final MemorySegment ACTIONS_DESTROY = Symbols.function("posix_spawn_file_actions_destroy");
    private static final MemorySegment ACTIONS_DUP2 = Symbols.function("posix_spawn_file_actions_adddup2");
    // Since glibc 2.29 and musl 1.1.24.
    private static final @Nullable MemorySegment ACTIONS_CHDIR = Symbols
            .functionOrNull("posix_spawn_file_actions_addchdir_np");
    // Since glibc 2.34. Without it the process has the descriptors that the JVM opened without O_CLOEXEC.
    private static final @Nullable MemorySegment ACTIONS_CLOSEFROM = Symbols
            .functionOrNull("posix_spawn_file_actions_addclosefrom_np");
    private static final MemorySegment ATTRIBUTES_INIT = Symbols.function("posix_spawnattr_init");
    private static final MemorySegment ATTRIBUTES_DESTROY = Symbols.function("posix_spawnattr_destroy");
    private static final MemorySegment ATTRIBUTES_FLAGS = Symbols.function("posix_spawnattr_setflags");
    private static final MemorySegment ATTRIBUTES_GROUP = Symbols.function("posix_spawnattr_setpgroup");
    private static final MemorySegment ATTRIBUTES_MASK = Symbols.function("posix_spawnattr_setsigmask");
    private static final MemorySegment WAITID = Symbols.function("waitid");
    private static final MemorySegment WAITPID = Symbols.function("waitpid");
    private static final MemorySegment KILL = Symbols.function("kill");
    private static final MemorySegment ENVIRON = Symbols.function("environ");

    private LinuxProcesses() {}

    /**
     * The standard descriptors of a process.
     *
     * @param in open for reading
     * @param out open for writing
     * @param err open for writing
     */
    public record Descriptors(int in, int out, int err) {}

    /**
     * Starts a process in a process group of its own, with the environment of this process, no blocked signals and no
     * further descriptors. A name without a slash is searched on the PATH.
     *
     * @param words the program and its arguments
     * @param directory the working directory of the process; null for that of this process
     * @return the process, or {@code -errno}
     */
    public static int spawn(List<ByteString> words, @Nullable ByteString directory, Descriptors descriptors) {
        if (directory != null && ACTIONS_CHDIR == null) {
            return spawn(inDirectory(words, directory), null, descriptors);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment actions = arena.allocate(STRUCTURE_BYTES, 16);
            MemorySegment attributes = arena.allocate(STRUCTURE_BYTES, 16);
            int failed = failed(ACTIONS_INIT, actions.address(), 0, 0);
            if (failed != 0) {
                return -failed;
            }
            try {
                failed = failed(ATTRIBUTES_INIT, attributes.address(), 0, 0);
                if (failed != 0) {
                    return -failed;
                }
                try {
                    return spawn(arena, words, directory, descriptors, actions, attributes);
                } finally {
                    failed(ATTRIBUTES_DESTROY, attributes.address(), 0, 0);
                }
            } finally {
                failed(ACTIONS_DESTROY, actions.address(), 0, 0);
            }
        }
    }

    private static int spawn(Arena arena, List<ByteString> words, @Nullable ByteString directory,
            Descriptors descriptors, MemorySegment actions, MemorySegment attributes) {
        int failed = failed(ACTIONS_DUP2, actions.address(), descriptors.in, 0);
        failed = failed != 0 ? failed : failed(ACTIONS_DUP2, actions.address(), descriptors.out, 1);
        failed = failed != 0 ? failed : failed(ACTIONS_DUP2, actions.address(), descriptors.err, 2);
        if (failed == 0 && ACTIONS_CLOSEFROM != null) {
            failed = failed(ACTIONS_CLOSEFROM, actions.address(), 3, 0);
        }
        if (failed == 0 && directory != null && ACTIONS_CHDIR != null) {
            failed = failed(ACTIONS_CHDIR, actions.address(), text(arena, directory).address(), 0);
        }
        // The JVM blocks SIGQUIT in all threads but one.
        failed = failed != 0
                ? failed
                : failed(ATTRIBUTES_FLAGS, attributes.address(), POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK, 0);
        failed = failed != 0 ? failed : failed(ATTRIBUTES_GROUP, attributes.address(), 0, 0);
        failed = failed != 0
                ? failed
                : failed(ATTRIBUTES_MASK, attributes.address(), arena.allocate(SIGSET_BYTES, 8).address(), 0);
        if (failed != 0) {
            return -failed;
        }
        MemorySegment program = text(arena, words.getFirst());
        MemorySegment arguments = arena.allocate(JAVA_LONG, words.size() + 1L);
        arguments.setAtIndex(JAVA_LONG, 0, program.address());
        for (int i = 1; i < words.size(); i++) {
            arguments.setAtIndex(JAVA_LONG, i, text(arena, words.get(i)).address());
        }
        MemorySegment process = arena.allocate(JAVA_INT);
        // The result is the error number itself.
        long result = Downcalls.callLong(SPAWN, process.address(), program.address(), actions.address(),
                attributes.address(), arguments.address(), environment());
        return (int) result != 0 ? -Math.abs((int) result) : process.get(JAVA_INT, 0);
    }

    // A shell changes the directory where the C library cannot; it gets everything as arguments.
    private static List<ByteString> inDirectory(List<ByteString> words, ByteString directory) {
        List<ByteString> all = new ArrayList<>(
                List.of(SHELL, ByteString.of("-c"), ByteString.of("cd -- \"$0\" && exec \"$@\""), directory));
        all.addAll(words);
        return all;
    }

    // For functions that return an error number and do not set errno.
    private static int failed(MemorySegment function, long a, long b, long c) {
        return (int) Downcalls.callRaw(function, a, b, c, 0);
    }

    private static MemorySegment text(SegmentAllocator arena, ByteString bytes) {
        return FileAccess.put(arena.allocate(bytes.length() + 1L), bytes);
    }

    @SuppressWarnings("restricted") // a pointer-sized variable of the C library
    private static long environment() {
        return ENVIRON.reinterpret(JAVA_LONG.byteSize()).get(JAVA_LONG, 0);
    }

    /**
     * Waits until a child has ended, and leaves it in the process table, so that its number and that of its group
     * cannot belong to another process yet. Interrupts of the thread have no effect.
     *
     * @return 0, or {@code -errno}: ECHILD if there is no such child
     */
    public static int await(int process) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment information = arena.allocate(SIGINFO_BYTES, 8);
            int result;
            do {
                result = Downcalls.call(WAITID, P_PID, process, information.address(), WEXITED | WNOWAIT, 0);
            } while (result == -Errno.EINTR);
            return result;
        }
    }

    /**
     * Removes a child that has ended from the process table.
     *
     * @return its status as wait(2) encodes it, or {@code -errno}
     */
    public static int reap(int process) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(JAVA_INT);
            int result;
            do {
                result = Downcalls.call(WAITPID, process, status.address(), 0, 0, 0);
            } while (result == -Errno.EINTR);
            return result < 0 ? result : status.get(JAVA_INT, 0);
        }
    }

    /** Sends a signal to a process group. Returns 0 or {@code -errno}. */
    public static int signal(int group, int signal) {
        return Downcalls.call(KILL, -group, signal, 0, 0, 0);
    }
}
