// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;

/** Looks for the program of a command before it runs for many files, none of which it could handle. */
final class ProgramSearch {

    // The PATH of execvp(3) if there is none.
    private static final String STANDARD = "/bin:/usr/bin";
    private static final int ANY_EXECUTE = 0111;

    private ProgramSearch() {}

    /** Returns why a program cannot run; empty if it can, or if that cannot be found out. */
    static Optional<String> problem(ByteString program) {
        List<ByteString> places = places(program);
        boolean isSeen = false;
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            for (ByteString place : places) {
                FileStatus status = find(access, place);
                if (status != null && status.kind() == EntryKind.REGULAR && (status.permissions() & ANY_EXECUTE) != 0) {
                    return Optional.empty();
                }
                isSeen |= status != null;
            }
        } catch (SystemCallException e) {
            // The start of the command has a message of its own.
            return Optional.empty();
        }
        if (places.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(isSeen
                ? "the command '" + program + "' is not executable; use chmod +x, or name its interpreter first"
                : "there is no command '" + program + "'; check its name" + (hasSlash(program) ? "" : " and the PATH"));
    }

    private static boolean hasSlash(ByteString program) {
        for (int i = 0; i < program.length(); i++) {
            if (program.at(i) == '/') {
                return true;
            }
        }
        return false;
    }

    // The JVM decodes the PATH, so that names that are not ASCII cannot be looked up in every locale.
    private static List<ByteString> places(ByteString program) {
        if (hasSlash(program)) {
            return List.of(program);
        }
        String path = System.getenv().getOrDefault("PATH", STANDARD);
        if (path.chars().anyMatch(character -> character > 127)) {
            return List.of();
        }
        List<ByteString> places = new ArrayList<>();
        for (String directory : path.split(":", -1)) {
            places.add(ByteString.of((directory.isEmpty() ? "." : directory) + "/").plus(program));
        }
        return places;
    }

    private static @Nullable FileStatus find(FileAccess access, ByteString place) throws SystemCallException {
        try {
            return LongPath.find(access, place, true);
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOTDIR || e.errno() == Errno.EACCES) {
                return null;
            }
            throw e;
        }
    }
}
