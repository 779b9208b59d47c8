// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kernel's information about this process in /proc/self (proc(5)). Read without {@link FileSystemCalls}: no file of
 * a user is concerned, and injected faults should not affect it.
 *
 * @param umask the file mode creation mask, 0 to 0777
 * @param effectiveUid the numeric user that owns files created by this process
 * @param effectiveGid the numeric group of files created by this process
 * @param effectiveCapabilities bit n is capability n of capabilities(7)
 */
public record ProcessStatus(int umask, long effectiveUid, long effectiveGid, long effectiveCapabilities) {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String OPEN_FILES = "Max open files";
    private static final String UNLIMITED = "unlimited";
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final Path SYSTEM_STAT = Path.of("/proc/stat");

    public ProcessStatus {
        if ((umask & ~0777) != 0) {
            throw new IllegalArgumentException("umask out of range: 0" + Integer.toOctalString(umask));
        }
    }

    /**
     * Reads the status of this process.
     *
     * @throws IOException if /proc is not mounted
     */
    public static ProcessStatus read() throws IOException {
        String text = Files.readString(STATUS, StandardCharsets.ISO_8859_1);
        int umask = Integer.parseInt(field(text, "Umask:\\s+(\\d+)"), 8);
        long uid = Long.parseLong(field(text, "Uid:\\s+\\d+\\s+(\\d+)"));
        long gid = Long.parseLong(field(text, "Gid:\\s+\\d+\\s+(\\d+)"));
        long capabilities = Long.parseUnsignedLong(field(text, "CapEff:\\s+([0-9a-f]+)"), 16);
        return new ProcessStatus(umask, uid, gid, capabilities);
    }

    /** Returns whether capability {@code number} of capabilities(7), 0 to 63, is effective. */
    public boolean hasCapability(int number) {
        return (effectiveCapabilities >>> number & 1) != 0;
    }

    /**
     * Returns the groups of this process: the effective one, and the supplementary ones.
     *
     * @throws IOException if /proc is not mounted
     */
    public static Set<Long> groups() throws IOException {
        String text = Files.readString(STATUS, StandardCharsets.ISO_8859_1);
        Set<Long> groups = new HashSet<>();
        groups.add(Long.parseLong(field(text, "Gid:\\s+\\d+\\s+(\\d+)")));
        for (String group : field(text, "Groups:[ \\t]*([0-9 ]*)").strip().split(" ", -1)) {
            if (!group.isEmpty()) {
                groups.add(Long.parseLong(group));
            }
        }
        return groups;
    }

    /**
     * Returns the soft limit on open descriptors (RLIMIT_NOFILE), {@link Integer#MAX_VALUE} if there is none, or 1024,
     * the usual limit, if it cannot be read.
     */
    public static long descriptorLimit() {
        try {
            String limits = Files.readString(LIMITS, StandardCharsets.ISO_8859_1);
            // No regular expression: each walk asks for the limit, and the compilers would begin with the expression.
            int at = limits.indexOf(OPEN_FILES);
            String soft = at < 0 ? UNLIMITED : limits.substring(at + OPEN_FILES.length()).strip().split(" ", 2)[0];
            return soft.equals(UNLIMITED) ? Integer.MAX_VALUE : Long.parseLong(soft);
        } catch (IOException | NumberFormatException e) {
            return 1024;
        }
    }

    /**
     * Returns the CPU time that this process has used, user and system, in units of 10 ms; empty if it cannot be read.
     */
    public static Optional<Long> cpuTicks() {
        try {
            String stat = Files.readString(STAT, StandardCharsets.ISO_8859_1);
            // The command name is in parentheses and may contain any character; utime and stime are fields 12 and 13
            // after it.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return Optional.of(Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the time that all processors of this machine together were idle or waited for disks, in units of 10 ms;
     * empty if it cannot be read.
     */
    public static Optional<Long> idleTicks() {
        try (BufferedReader stat = Files.newBufferedReader(SYSTEM_STAT, StandardCharsets.ISO_8859_1)) {
            // The line is: "cpu", two spaces, then user, nice, system, idle, iowait.
            // Without a regular expression, which would be compiled each time.
            String[] fields = stat.readLine().split(" ", -1);
            return Optional.of(Long.parseLong(fields[5]) + Long.parseLong(fields[6]));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    private static String field(String text, String pattern) throws IOException {
        Matcher matcher = Pattern.compile("(?m)^" + pattern).matcher(text);
        if (!matcher.find()) {
            throw new IOException(STATUS + " has no line like " + pattern);
        }
        return matcher.group(1);
    }
}
