// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Assumptions;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.linux.Linux;

/**
 * Another process that holds a lease on a file, as a file server does for its clients. It keeps the lease until a call
 * through {@link #calls()} is about to wait for it, so a caller that does not wait never gets the file.
 */
public final class LeaseHolder implements AutoCloseable {

    // The kernel sends SIGIO, the test sends a line. SIGIO may arrive before print has returned, which does not support
    // reentry.
    private static final String PROGRAM = """
            import fcntl, os, signal, sys
            file = os.open(sys.argv[1], os.O_RDWR)
            signal.signal(signal.SIGIO, lambda number, frame: os.write(1, b"ASKED\\n"))
            try:
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            except OSError as e:
                sys.exit(print("no leases here:", e))
            print("HELD", flush=True)
            sys.stdin.readline()
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            """;

    private final Process process;
    private final BufferedReader output;

    private LeaseHolder(Process process) {
        this.process = process;
        this.output = process.inputReader();
    }

    /** Starts the process; skips the test without Python, or if the file system does not support leases. */
    public static LeaseHolder of(Path file) {
        Installed.require("python3");
        try {
            LeaseHolder holder = new LeaseHolder(
                    new ProcessBuilder("python3", "-c", PROGRAM, file.toString()).redirectErrorStream(true).start());
            String answer = holder.output.readLine();
            Assumptions.assumeTrue("HELD".equals(answer), file + ": " + answer);
            return holder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the kernel's calls; the first open by descriptor that may wait ends the lease. */
    public FileSystemCalls calls() {
        return (FileSystemCalls) Proxy.newProxyInstance(LeaseHolder.class.getClassLoader(),
                new Class<?>[]{FileSystemCalls.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("openat") && waits((MemorySegment) arguments[1], (int) arguments[2])) {
                        process.outputWriter().append('\n').flush();
                    }
                    try {
                        return method.invoke(Linux.calls(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static boolean waits(MemorySegment name, int flags) {
        return (flags & LinuxConstants.O_NONBLOCK) == 0 && name.getString(0).startsWith("/proc/self/fd/");
    }

    /** Ends the process, and returns whether it was asked for its lease. */
    public boolean wasAsked() {
        try {
            process.outputWriter().close();
            List<String> told = output.lines().toList();
            return told.contains("ASKED");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
