// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.copy.target.FoldedName;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.listing.DirectoryRecords;

/**
 * The names to which a move has renamed sources, so that it replaces none of them where the file system ignores case.
 * Keeps about 200 bytes for each. Used by one thread.
 */
final class MovedNames {

    private record Place(ByteString directory, String foldedName) {}

    private final FileAccess access;
    private final Map<Place, ByteString> names = new HashMap<>();

    MovedNames(FileAccess access) {
        this.access = access;
    }

    private static Place place(ByteString target) {
        return new Place(UserPath.parent(target), FoldedName.of(UserPath.baseName(target)));
    }

    /** Records the target of a source that was renamed. */
    void add(ByteString target) {
        names.putIfAbsent(place(target), UserPath.baseName(target));
    }

    /**
     * Checks a target before the existing entry there is replaced. Overwrites {@link FileAccess#name} and
     * {@link FileAccess#listing()}.
     *
     * @throws SystemCallException EEXIST if that entry is a source that this move has renamed
     */
    void check(ByteString target) throws SystemCallException {
        ByteString moved = names.get(place(target));
        if (moved != null && !areListed(UserPath.parent(target), moved, UserPath.baseName(target))) {
            throw new SystemCallException("replace what was moved to a name that differs only in case", Errno.EEXIST);
        }
    }

    // File systems in user space may give one file a number of its own under each name, so only the listing shows whether both
    // names exist.
    private boolean areListed(ByteString directory, ByteString one, ByteString other) throws SystemCallException {
        List<ByteString> missing = new ArrayList<>(List.of(one, other));
        int descriptor = LongPath.open(access, directory, O_DIRECTORY | O_NONBLOCK);
        try {
            DirectoryRecords.forEach(access, descriptor, access.listing(),
                    (records, at) -> missing.remove(ByteString.of(DirectoryRecords.nameBytes(records, at))));
        } finally {
            access.closeQuietly(descriptor);
        }
        return missing.isEmpty();
    }
}
