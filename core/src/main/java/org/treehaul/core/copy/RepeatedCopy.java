// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;

import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.listing.DirectoryRecords;

/**
 * Recognises a command that probably repeats a copy of a directory: the directory to copy into contains only entries of
 * the source, because a first run created it as the copy.
 */
record RepeatedCopy(FileAccess access, PathStatus paths) {

    // Enough to distinguish a copy from any other directory.
    private static final int MOST_NAMES = 100;
    private static final byte[] TEMPORARY = {'.', 't', 'r', 'e', 'e', 'h', 'a', 'u', 'l', '-'};

    /**
     * Returns the notice for a copy of a source directory into another.
     *
     * @param target the path of the copy, below that directory
     */
    Optional<String> notice(ByteString source, ByteString directory, ByteString target) {
        try {
            return paths.find(target, false).isEmpty() && resembles(directory, source)
                    ? Optional.of("copying into the existing directory '" + directory + "', as '" + target
                            + "'; -T makes '" + directory + "' itself the copy")
                    : Optional.empty();
        } catch (SystemCallException e) {
            // The copy reports it if it matters.
            return Optional.empty();
        }
    }

    private boolean resembles(ByteString directory, ByteString source) throws SystemCallException {
        int descriptor = LongPath.open(access, directory, O_DIRECTORY);
        byte[] records;
        try {
            MemorySegment block = access.listing();
            int length = FileAccess.check("getdents64", DirectoryRecords.read(access, descriptor, block));
            records = block.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        } finally {
            access.closeQuietly(descriptor);
        }
        int names = 0;
        for (int at = 0; at < records.length && names < MOST_NAMES; at += DirectoryRecords.length(records, at)) {
            int start = at + DirectoryRecords.NAME;
            byte[] name = Arrays.copyOfRange(records, start, start + DirectoryRecords.nameLength(records, at));
            if (DirectoryRecords.isDots(records, at) || Arrays.mismatch(name, TEMPORARY) == TEMPORARY.length) {
                continue;
            }
            if (paths.find(UserPath.join(source, ByteString.of(name)), false).isEmpty()) {
                return false;
            }
            names++;
        }
        return names > 0;
    }
}
