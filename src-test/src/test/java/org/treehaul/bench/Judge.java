// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

import org.treehaul.programs.Programs;

/** Judges whether a copy is right, by rsync as an independent tool: content by checksum, and all metadata it knows. */
final class Judge {

    static final String EXACT = "exact";
    static final String WRONG = "WRONG";

    // The format of rsync(1), --itemize-changes: YXcstpoguax, that is the action, the kind, and a letter for each
    // difference.
    private static final String[] DIFFERENCES = {"", "", "checksum", "size", "time", "mode", "owner", "group", "",
            "acl", "xattr"};

    private Judge() {}

    /** Judges a copy without changing anything. */
    static String copy(Path source, Path target) {
        if (!Files.exists(target)) {
            return WRONG + ": there is none";
        }
        if (Programs.find("rsync").isEmpty()) {
            Programs.Said diff = Programs.ask("diff", "-rq", "--no-dereference", source, target);
            return diff.code() == 0 ? "same content (no rsync to judge metadata)" : WRONG + ": " + diff.firstLine();
        }
        Programs.Said said = Programs.ask("rsync", "-aHAXnc", "--delete", "--itemize-changes", "--modify-window=-1",
                source + "/", target + "/");
        if (said.code() != 0) {
            return WRONG + ": " + said.firstLine();
        }
        Set<String> lost = new TreeSet<>();
        for (String line : said.text().lines().toList()) {
            String flags = line.split(" ", 2)[0];
            // The line of a directory or file that differs only in attributes begins with a dot; any other line means
            // content.
            if (flags.length() != DIFFERENCES.length || flags.charAt(0) != '.' || flags.contains("+")) {
                return WRONG + ": " + line;
            }
            String kind = flags.charAt(1) == 'd' ? "directory " : flags.charAt(1) == 'f' ? "file " : "link ";
            for (int i = 2; i < DIFFERENCES.length; i++) {
                if (flags.charAt(i) != '.' && flags.charAt(i) != ' ') {
                    lost.add(kind + DIFFERENCES[i]);
                }
            }
        }
        return lost.isEmpty() ? EXACT : "without " + String.join(", ", lost);
    }
}
