// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.plain;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemRoom;
import org.treehaul.core.plan.format.PlannedRoom;

/**
 * A file system with too little space for a copy.
 *
 * @param directory a directory on it
 * @param needed the minimum that the copy needs; if it is not sure, the amount that it is likely to need
 * @param free the free amount
 * @param isSure whether the copy is certain to fail unless something is removed
 */
@Internal
public record RoomShortage(ByteString directory, Kind kind, long needed, long free, boolean isSure) {

    // linux/magic.h: ext2 to ext4, XFS, tmpfs, FAT, exFAT. All others may compress or share data, have more space than
    // they report, or report wrong numbers.
    private static final long XFS = 0x58465342L;
    private static final Set<Long> PLAIN = Set.of(0xEF53L, XFS, 0x01021994L, 0x4D44L, 0x2011BAB0L);

    /** The resource that is short. */
    public enum Kind {
        /** Space for data. */
        BYTES,
        /** Inodes. */
        FILES
    }

    /** The space of existing entries at the destination that are replaced, or are not written. */
    public record Saved(long bytes, long files) {

        /** Nothing exists. */
        public static final Saved NOTHING = new Saved(0, 0);
    }

    /**
     * Compares the need of a copy with the space of a file system.
     *
     * @param isRoot whether the copy may use the space that is reserved for root
     */
    public static List<RoomShortage> of(CopyOptions options, boolean isRoot, PlannedRoom planned, FileSystemRoom room,
            Saved saved) {
        List<RoomShortage> shortages = new ArrayList<>();
        bytes(options, isRoot, planned, room, saved.bytes()).ifPresent(shortages::add);
        files(planned, room, saved.files()).ifPresent(shortages::add);
        return shortages;
    }

    private static Optional<RoomShortage> bytes(CopyOptions options, boolean isRoot, PlannedRoom planned,
            FileSystemRoom room, long less) {
        if (room.bytes() == 0 || options.attributesOnly()) {
            return Optional.empty();
        }
        long free = isRoot ? room.freeBytes() : room.availableBytes();
        boolean mayShare = room.type() == XFS && options.reflink() != CopyOptions.When.NEVER;
        long least = planned.bytes() + (mayShare ? 0 : planned.nearBytes()) - less;
        long likely = planned.roundedBytes() - less;
        boolean isSure = least > free && PLAIN.contains(room.type());
        return isSure || likely > free
                ? Optional.of(new RoomShortage(planned.directory(), Kind.BYTES, isSure ? least : likely, free, isSure))
                : Optional.empty();
    }

    private static Optional<RoomShortage> files(PlannedRoom planned, FileSystemRoom room, long less) {
        long needed = planned.inodes() - less;
        return room.files() > 0 && needed > room.freeFiles()
                ? Optional.of(new RoomShortage(planned.directory(), Kind.FILES, needed, room.freeFiles(),
                        PLAIN.contains(room.type())))
                : Optional.empty();
    }

    /** Returns the message for a user whose copy is refused or stopped because of a sure shortage. */
    public String refusal() {
        return text() + ": free some space, copy less, or use another destination; --no-space-check copies what fits";
    }

    /** Returns the shortage as a sentence. */
    public String text() {
        boolean isBytes = kind == Kind.BYTES;
        String room = isBytes ? Amounts.bytes(free) : Amounts.count(free) + " inodes";
        String need = isBytes ? Amounts.bytes(needed) : Amounts.count(needed);
        return "the destination " + directory + (isSure ? " is too small: " : " may be too small: ") + room
                + " are free, and the copy needs " + (isSure ? "at least " : "about ") + need;
    }
}
