// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.launch;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;

/**
 * Forwards the signals of this process to its child.
 *
 * <p>
 * {@code sun.misc.Signal} is called by reflection, because {@code --release 8} hides it. A signal that was ignored when
 * this process started (nohup) stays ignored in both. A signal to the whole process group, as from {@code timeout} and
 * some batch systems, reaches the child twice within milliseconds, once directly and once from here; the child must
 * count that as one. In the only frequent case, ^C at a terminal, nothing is forwarded.
 */
final class Signals {
    private static final String[] NAMES = {"TERM", "INT", "HUP", "USR1"};
    private static final int USR1 = 10; // the same on x86-64 and aarch64, signal(7)

    private final CountDownLatch started = new CountDownLatch(1);
    private volatile long pid;

    private Signals() {}

    /** Begins to hold signals: from now on they no longer end this process, but wait for a child. */
    static Signals hold() {
        Signals signals = new Signals();
        for (String name : NAMES) {
            signals.handle(name);
        }
        return signals;
    }

    /** Forwards held and future signals to the child. */
    void passTo(Process child) {
        pid = pid(child);
        started.countDown();
    }

    private void handle(final String name) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[]{handler},
                    new InvocationHandler() {
                        @Override
                        public @Nullable Object invoke(Object self, Method method, Object @Nullable [] args)
                                throws InterruptedException {
                            if (method.getName().equals("handle")) {
                                started.await();
                                pass(name);
                                return null;
                            }
                            if (method.getName().equals("equals")) {
                                return args != null && self == args[0];
                            }
                            return method.getName().equals("hashCode") ? (Object) System.identityHashCode(self) : name;
                        }
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
        } catch (ReflectiveOperationException e) {
            // -Xrs, or a Java without sun.misc: the signal keeps its default effect.
            return;
        }
    }

    private void pass(String name) {
        if (pid <= 0 || name.equals("INT") && terminalReachesChild() || name.equals("USR1") && !catches(USR1)) {
            return;
        }
        try {
            // The shell's built-in kill: not every machine has the program of that name.
            new ProcessBuilder("/bin/sh", "-c", "kill -s \"$1\" \"$2\"", "sh", name, Long.toString(pid))
                    .redirectErrorStream(true)
                    .start()
                    .getInputStream()
                    .close();
        } catch (IOException e) {
            System.err.println("treehaul: cannot pass signal " + name + " on: " + e.getMessage());
        }
    }

    /**
     * Returns whether this process is in the foreground of a terminal, whose ^C reaches the child too:
     * proc_pid_stat(5).
     */
    private static boolean terminalReachesChild() {
        try {
            String stat = new String(Files.readAllBytes(Paths.get("/proc/self/stat")), StandardCharsets.ISO_8859_1);
            // The name is in parentheses and may contain some; state, ppid, pgrp, session, tty_nr, tpgid follow it.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return fields[2].equals(fields[5]);
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns whether the child already handles this signal: by default USR1 kills. */
    private boolean catches(int signal) {
        try {
            List<String> lines = Files.readAllLines(Paths.get("/proc/" + pid + "/status"), StandardCharsets.ISO_8859_1);
            for (String line : lines) {
                if (line.startsWith("SigCgt:")) {
                    return (Long.parseUnsignedLong(line.substring(7).trim(), 16) >> (signal - 1) & 1) != 0;
                }
            }
        } catch (IOException e) {
            // It is gone.
        }
        return false;
    }

    private static long pid(Process child) {
        try {
            return (Long) Process.class.getMethod("pid").invoke(child);
        } catch (ReflectiveOperationException e) {
            // Before Java 9, the pid is in a field of java.lang.UNIXProcess.
        }
        try {
            Field field = child.getClass().getDeclaredField("pid");
            field.setAccessible(true);
            return field.getInt(child);
        } catch (ReflectiveOperationException e) {
            return -1;
        }
    }
}
