// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The limit on a process's address space, and options for a JVM within it, as in the {@code treehaul} script. */
final class AddressSpace {
    static final long UNLIMITED = -1;

    private static final Path LIMITS = Paths.get("/proc/self/limits");

    // The default reservations of the JVM for its heap, classes and code, and of the C library for each thread.
    private static final long ENOUGH_KILOBYTES = 8000000;

    private final long kilobytes;

    private AddressSpace(long kilobytes) {
        this.kilobytes = kilobytes;
    }

    /** Returns the limit of this process, which a child inherits: proc_pid_limits(5). */
    static AddressSpace own() {
        try {
            return of(Files.readAllLines(LIMITS, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return new AddressSpace(UNLIMITED);
        }
    }

    static AddressSpace of(List<String> limits) {
        for (String line : limits) {
            if (line.startsWith("Max address space")) {
                String soft = line.substring("Max address space".length()).trim().split(" +")[0];
                return new AddressSpace(soft.matches("[0-9]{1,18}") ? Long.parseLong(soft) / 1024 : UNLIMITED);
            }
        }
        return new AddressSpace(UNLIMITED);
    }

    /** Returns whether the limit is lower than the default reservations of a JVM. */
    boolean isShort() {
        return kilobytes != UNLIMITED && kilobytes < ENOUGH_KILOBYTES;
    }

    /** Returns the options with which a JVM starts within the limit; later options override them. */
    List<String> options(Map<String, String> environment) {
        List<String> options = new ArrayList<String>();
        if (isShort()) {
            if (!namesHeap(environment.get("JDK_JAVA_OPTIONS")) && !namesHeap(environment.get("JAVA_TOOL_OPTIONS"))) {
                options.add("-Xmx" + Math.max(kilobytes / 4096, 2) + "m");
            }
            options.add("-XX:CompressedClassSpaceSize=48m");
            options.add("-XX:ReservedCodeCacheSize=64m");
        }
        return options;
    }

    private static boolean namesHeap(String options) {
        return options != null && (options.contains("-Xmx") || options.contains("MaxHeapSize"));
    }

    /** Makes the C library of a process reserve less for its threads. */
    void limit(Map<String, String> environment) {
        if (isShort() && !environment.containsKey("MALLOC_ARENA_MAX")) {
            environment.put("MALLOC_ARENA_MAX", "2");
        }
    }

    /** Returns the message that a JVM cannot start within the limit, with the remedy. */
    String advice() {
        return "treehaul: Java cannot start within the limit of the address space (ulimit -v is " + kilobytes
                + " kB). Raise the limit to 2000000 or more, or run the command as a job; jobs rarely have this limit."
                + " A smaller heap may help: JDK_JAVA_OPTIONS=-Xmx256m";
    }
}
