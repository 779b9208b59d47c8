// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.plain;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.FileSystemRoom;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.plan.RoomNeeds;
import org.treehaul.core.walk.summary.TotalCount;

/**
 * Stops a copy that cannot fit into a destination that did not exist before, as soon as its sources are counted.
 * Compares with the space that was free before the copy began.
 */
final class RoomWatch implements TotalCount.Receiver {

    // More sources would cost more calls than the check is worth.
    private static final int MOST_PAIRS = 64;

    private final CopyOptions options;
    private final boolean isRoot;
    private final FileSystemRoom room;
    private final RoomNeeds needs;
    private final RoomNeeds.Need need;
    private final Cancellation copy;
    private final EventListener listener;
    private volatile @Nullable String refusal;

    private RoomWatch(CopyOptions options, boolean isRoot, ByteString directory, long device, FileSystemRoom room,
            Cancellation copy, EventListener listener) {
        this.options = options;
        this.isRoot = isRoot;
        this.room = room;
        this.needs = new RoomNeeds(options.preserves(Preserve.LINKS));
        this.need = needs.of(device, directory);
        this.copy = copy;
        this.listener = listener;
    }

    /**
     * Reads the free space of a destination before the copy begins.
     *
     * @param copy is cancelled if the copy is sure to fail
     * @param listener receives a shortage that is only likely, on the thread that counts
     * @return null if there is nothing to check: a target exists, so that the copy may need less than the sources have;
     *         the targets are in different directories, or many; the options make holes or links; or the destination
     *         cannot be examined, which the copy reports
     */
    static @Nullable RoomWatch of(FileSystemCalls calls, CopyOptions options, List<CopyPair> pairs, Cancellation copy,
            EventListener listener) {
        boolean isCounted = options.form() == CopyOptions.Form.COPY && !options.attributesOnly()
                && options.sparse() != CopyOptions.When.ALWAYS && options.reflink() != CopyOptions.When.ALWAYS;
        if (!isCounted || pairs.isEmpty() || pairs.size() > MOST_PAIRS) {
            return null;
        }
        ByteString directory = UserPath.parent(pairs.getFirst().target());
        if (!pairs.stream().allMatch(pair -> UserPath.parent(pair.target()).equals(directory))) {
            return null;
        }
        try (FileAccess access = FileAccess.open(calls)) {
            for (CopyPair pair : pairs) {
                if (LongPath.find(access, UserPath.stripSlashes(pair.target()), false) != null) {
                    return null;
                }
            }
            int descriptor = LongPath.open(access, directory, O_DIRECTORY | O_NONBLOCK);
            try {
                return new RoomWatch(options, ProcessStatus.read().effectiveUid() == 0, directory,
                        access.status(descriptor).device(), access.room(descriptor), copy, listener);
            } finally {
                access.closeQuietly(descriptor);
            }
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public void entry(Entry entry) {
        if (entry.kind() == EntryKind.DIRECTORY) {
            need.addDirectory();
        } else {
            entry.status().ifPresent(need::add);
        }
    }

    @Override
    public void complete() {
        List<RoomShortage> shortages = needs.planned()
                .stream()
                .flatMap(
                        planned -> RoomShortage.of(options, isRoot, planned, room, RoomShortage.Saved.NOTHING).stream())
                .toList();
        for (RoomShortage shortage : shortages) {
            if (shortage.isSure()) {
                refusal = shortage.refusal();
                copy.cancel();
                return;
            }
            listener.onEvent(new Event.Notice(shortage.text()));
        }
    }

    /** Returns why the copy was stopped; empty if it was not. */
    Optional<String> refusal() {
        return Optional.ofNullable(refusal);
    }
}
