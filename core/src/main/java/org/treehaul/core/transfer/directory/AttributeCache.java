// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The time for which a mount may answer with cached attributes: nfs(5), mount.cifs(8). The mount options of user-space
 * file systems do not show theirs.
 */
final class AttributeCache {

    /** Mounts with a longer cache time are refused: the death of a worker would remain unnoticed for hours. */
    static final Duration LONGEST = Duration.ofHours(1);

    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final Set<String> OPTIONS = Set.of("acregmin", "acregmax", "acdirmin", "acdirmax", "actimeo");
    // proc_pid_mountinfo(5): the index of the mount point, and of the first optional field.
    private static final int MOUNT_POINT = 4;
    private static final int OPTION_FIELDS = 5;

    private AttributeCache() {}

    /** Returns the cache time of the mount that contains a directory; zero if its options do not name one. */
    static Duration of(Path directory) {
        try {
            return of(directory, Files.readAllLines(MOUNTS, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            // Without /proc the mount is unknown.
            return Duration.ZERO;
        }
    }

    /**
     * Returns the cache time according to the lines of mountinfo; of several mounts on one directory the last one
     * counts.
     */
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

    // Spaces, tabs, newlines and backslashes are octal escapes.
    private static String unescape(String field) {
        return field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\");
    }
}
