// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.FileSystemRoom;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.RoomNeeds;

/**
 * Checks whether the sources of a copy fit into a destination that did not exist before, against the space that was
 * free then. The sources may be counted while they are copied. Safe for any number of threads.
 */
public final class RoomAhead {

    // More sources would cost more calls than the check is worth.
    private static final int MOST_PAIRS = 64;

    private final CopyOptions options;
    private final boolean isRoot;
    private final FileSystemRoom room;
    private final RoomNeeds needs;
    private final RoomNeeds.Need need;

    private RoomAhead(CopyOptions options, boolean isRoot, ByteString directory, long device, FileSystemRoom room) {
        this.options = options;
        this.isRoot = isRoot;
        this.room = room;
        this.needs = new RoomNeeds(options.preserves(Preserve.LINKS));
        this.need = needs.of(device, directory);
    }

    /**
     * Reads the free space of a destination before the copy begins.
     *
     * @return empty if there is nothing to check: a target exists, so that the copy may need less than the sources
     *         have; the targets are in different directories, or many; the options make holes or links; or the
     *         destination cannot be examined, which the copy reports
     */
    public static Optional<RoomAhead> of(FileSystemCalls calls, CopyOptions options, List<CopyPair> pairs) {
        boolean isCounted = options.form() == CopyOptions.Form.COPY && !options.attributesOnly()
                && options.sparse() != CopyOptions.When.ALWAYS && options.reflink() != CopyOptions.When.ALWAYS;
        if (!isCounted || pairs.isEmpty() || pairs.size() > MOST_PAIRS) {
            return Optional.empty();
        }
        ByteString directory = UserPath.parent(pairs.getFirst().target());
        if (!pairs.stream().allMatch(pair -> UserPath.parent(pair.target()).equals(directory))) {
            return Optional.empty();
        }
        try (FileAccess access = FileAccess.open(calls)) {
            for (CopyPair pair : pairs) {
                if (exists(access, pair.target())) {
                    return Optional.empty();
                }
            }
            try (LongPath path = LongPath.of(access, directory)) {
                int descriptor = access.open(path.base(), access.name(path.rest()), O_DIRECTORY | O_NONBLOCK, 0);
                try {
                    return Optional.of(new RoomAhead(options, ProcessStatus.read().effectiveUid() == 0, directory,
                            access.status(descriptor).device(), access.room(descriptor)));
                } finally {
                    access.closeQuietly(descriptor);
                }
            }
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static boolean exists(FileAccess access, ByteString target) throws SystemCallException {
        try (LongPath path = LongPath.of(access, UserPath.stripSlashes(target))) {
            access.status(path.base(), access.name(path.rest()));
            return true;
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return false;
            }
            throw e;
        }
    }

    /** Counts an entry of the sources. */
    public void add(Entry entry) {
        if (entry.kind() == EntryKind.DIRECTORY) {
            need.addDirectory();
        } else {
            entry.status().ifPresent(need::add);
        }
    }

    /** Returns what was short before the copy began, for the entries counted so far. */
    public List<RoomCheck.Shortage> shortages() {
        return needs.planned()
                .stream()
                .flatMap(planned -> RoomCheck.ofNew(options, isRoot, planned, room).stream())
                .toList();
    }
}
