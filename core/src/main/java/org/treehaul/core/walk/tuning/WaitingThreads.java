// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.tuning;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts the threads of this process that wait in a system call, but not for another thread (futex) or a core: on
 * files, they wait for a disk or a server. Each thread is a file of /proc (proc_pid_syscall(5)), so an estimate looks
 * at a few of many in turn. Used by one thread.
 */
public final class WaitingThreads {

    private static final Path THREADS = Path.of("/proc/self/task");
    private static final String FUTEX = System.getProperty("os.arch").equals("aarch64") ? "98 " : "202 ";

    /** The most threads whose calls are read for an estimate. */
    static final int AT_ONCE = 16;
    // It looks for threads again at the first looks after their number has changed, and then once in so many.
    private static final int FIRST_LOOKS = 10;
    private static final int LOOKS = 25;

    private final String name;
    private List<Path> calls = List.of();
    private int lastThreads;
    private int looks;
    private int next;

    /**
     * Creates a counter.
     *
     * @param name the beginning of the names of the threads, at most 15 bytes: the kernel keeps no more
     */
    public WaitingThreads(String name) {
        this.name = name;
    }

    /**
     * Returns how many of the threads wait at the moment; 0 if the kernel does not show the calls.
     *
     * @param threads the number of threads that are to run
     */
    public int count(int threads) {
        return (int) count(threads, Integer.MAX_VALUE);
    }

    /** Returns about how many of the threads wait at the moment, as {@link #count} does. */
    public double estimate(int threads) {
        return count(threads, AT_ONCE);
    }

    private double count(int threads, int most) {
        if (threads != lastThreads) {
            lastThreads = threads;
            looks = 0;
        }
        if (looks < FIRST_LOOKS || looks % LOOKS == 0) {
            calls = find();
        }
        looks++;
        int looked = Math.min(most, calls.size());
        int waiting = 0;
        for (int i = 0; i < looked; i++) {
            next = (next + 1) % calls.size();
            waiting += isWaiting(calls.get(next)) ? 1 : 0;
        }
        return looked == 0 ? 0 : (double) waiting * calls.size() / looked;
    }

    private List<Path> find() {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(THREADS)) {
            for (Path thread : all) {
                if (read(thread.resolve("comm")).startsWith(name)) {
                    found.add(thread.resolve("syscall"));
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return List.of();
        }
        return found;
    }

    // The line is "running", or begins with the number of the call, or with -1 outside of calls.
    private static boolean isWaiting(Path file) {
        String call = read(file);
        return !call.isEmpty() && Character.isDigit(call.charAt(0)) && !call.startsWith(FUTEX);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            // The thread has ended, or the kernel does not show the calls.
            return "";
        }
    }
}
