// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.FileSystemCalls;

/** Provides the system calls of the Linux on which this JVM runs. */
public final class Linux {

    private Linux() {}

    /**
     * Returns the calls; always the same object.
     *
     * @throws UnsupportedOperationException on other systems than Linux on x86-64 or aarch64, or if the JVM was started
     *         without native access; the message names the remedy
     */
    public static FileSystemCalls calls() {
        if (Holder.CALLS == null) {
            throw new UnsupportedOperationException(Holder.PROBLEM, Holder.CAUSE);
        }
        return Holder.CALLS;
    }

    /** The outcome of linking, kept so that a second attempt fails with the same message as the first. */
    private static final class Holder {

        static final @Nullable FileSystemCalls CALLS;
        static final @Nullable String PROBLEM;
        static final @Nullable Throwable CAUSE;

        static {
            FileSystemCalls calls = null;
            String problem = problemWith(System.getProperty("os.name"), System.getProperty("os.arch"));
            Throwable cause = null;
            if (problem == null) {
                try {
                    calls = new LinuxFileSystemCalls();
                } catch (LinkageError | RuntimeException failure) {
                    cause = failure instanceof ExceptionInInitializerError && failure.getCause() != null
                            ? failure.getCause()
                            : failure;
                    problem = cause instanceof IllegalCallerException
                            ? nativeAccessDenied(Linux.class.getModule())
                            : "the C library cannot be called: " + cause;
                }
            }
            CALLS = calls;
            PROBLEM = problem;
            CAUSE = cause;
        }
    }

    /** Returns the reason why TreeHaul cannot run on this platform, or null if it can. */
    static @Nullable String problemWith(String system, String architecture) {
        boolean isSupported = system.equals("Linux")
                && (architecture.equals("amd64") || architecture.equals("aarch64"));
        return isSupported
                ? null
                : "TreeHaul needs Linux on x86-64 or aarch64; this is " + system + " on " + architecture;
    }

    static String nativeAccessDenied(Module module) {
        return "this JVM denies the native access that system calls need: start it with --enable-native-access="
                + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }
}
