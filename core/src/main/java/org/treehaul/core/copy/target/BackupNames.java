// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.listing.DirectoryRecords;

/** Forms the names of new backups, and finds those of existing backups in a directory. */
public final class BackupNames {

    private static final int LISTING_BYTES = 32 * 1024;
    // Incrementing a larger number could overflow.
    private static final int MOST_DIGITS = 18;

    private BackupNames() {}

    /** Returns the name for the backup of a file. */
    public static ByteString of(Backup backup, FileAccess access, int directory, ByteString name)
            throws SystemCallException {
        long number = backup.control() == Backup.Control.SIMPLE ? 0 : list(access, directory).getOrDefault(name, 0L);
        return backup.control() == Backup.Control.NUMBERED || number > 0
                ? numbered(name, number + 1)
                : simple(name, backup);
    }

    /** Returns the name of a simple backup. */
    public static ByteString simple(ByteString name, Backup backup) {
        return name.plus(backup.suffix());
    }

    /** Returns the name or path of the numbered backup of a file. */
    public static ByteString numbered(ByteString name, long number) {
        return name.plus(ByteString.of(".~" + number + "~"));
    }

    /** Returns the highest backup number of each name in a directory that has backups. */
    static Map<ByteString, Long> list(FileAccess access, int directory) throws SystemCallException {
        Map<ByteString, Long> found = new HashMap<>();
        // Opens a descriptor of its own, because other threads may share the directory's.
        int descriptor = access.open(directory, FileAccess.DOT, O_DIRECTORY | O_NONBLOCK, 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment listing = arena.allocate(LISTING_BYTES, 8);
            DirectoryRecords.forEach(access, descriptor, listing,
                    (records, at) -> note(DirectoryRecords.nameBytes(records, at), found));
            return found;
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    // Matches name.~N~, where N does not begin with zero.
    private static void note(byte[] name, Map<ByteString, Long> found) {
        int end = name.length - 1;
        if (end < 4 || name[end] != '~') {
            return;
        }
        int begin = end;
        while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') {
            begin--;
        }
        boolean isNumber = begin < end && end - begin <= MOST_DIGITS && name[begin] != '0' && begin > 2
                && name[begin - 1] == '~' && name[begin - 2] == '.';
        if (isNumber) {
            long number = Long.parseLong(new String(name, begin, end - begin, StandardCharsets.US_ASCII));
            found.merge(ByteString.of(Arrays.copyOf(name, begin - 2)), number, Math::max);
        }
    }
}
