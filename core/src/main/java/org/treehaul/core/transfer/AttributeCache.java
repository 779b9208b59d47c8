// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * How long a mount may answer with attributes that the server gave before: nfs(5), mount.cifs(8). What mounts in user
 * space keep is not among their options.
 */
final class AttributeCache {

    /** A mount that keeps them longer is not used: a worker that died would be missed for hours. */
    static final Duration LONGEST = Duration.ofHours(1);

    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final Set<String> OPTIONS = Set.of("acregmin", "acregmax", "acdirmin", "acdirmax", "actimeo");
    // proc_pid_mountinfo(5): the mount point, and where the optional fields begin.
    private static final int MOUNT_POINT = 4;
    private static final int OPTION_FIELDS = 5;

    private AttributeCache() {}

    /** Returns it for the mount that a directory stands on; zero where that says nothing of it. */
    static Duration of(Path directory) {
        try {
            return of(directory, Files.readAllLines(MOUNTS, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            // Without /proc nothing is known of it.
            return Duration.ZERO;
        }
    }

    /** Returns it by the lines of mountinfo; of several mounts in one place the last one counts. */
    static Duration of(Path directory, List<String> mounts) {
        String path = new String(directory.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        String found = "";
        Duration longest = Duration.ZERO;
        for (String line : mounts) {
            String[] fields = line.split(" ", -1);
            if (fields.length > OPTION_FIELDS) {
                String at = unescape(fields[MOUNT_POINT]);
                boolean isAbove = at.equals("/") || path.equals(at) || path.startsWith(at + "/");
                if (isAbove && at.length() >= found.length()) {
                    found = at;
                    longest = longest(fields[fields.length - 1]);
                }
            }
        }
        return longest;
    }

    private static Duration longest(String options) {
        long seconds = 0;
        for (String option : options.split(",", -1)) {
            int equals = option.indexOf('=');
            if (equals > 0 && OPTIONS.contains(option.substring(0, equals))) {
                String value = option.substring(equals + 1);
                seconds = Math.max(seconds, value.matches("[0-9]{1,9}") ? Long.parseLong(value) : 0);
            }
        }
        return Duration.ofSeconds(seconds);
    }

    // Blanks, tabs, newlines and backslashes, in octal.
    private static String unescape(String field) {
        return field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\");
    }
}
