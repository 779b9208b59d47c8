// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.walk.WalkWorker;

/**
 * The files of the source that have several names. The first name that a thread meets leads: its file is copied, the
 * other names become links to it, at once or, when the copy is not finished yet, as soon as it is. Should it fail, the
 * next name leads; so does the next where no more links can be made to the copy. A group is forgotten when all its
 * names are done, so memory is needed only for groups that are open.
 *
 * <p>
 * Safe for any number of threads. What a thread waits for here is another thread's copy in memory, never a file.
 */
final class HardLinks {

    /**
     * Where a copy stands, and what tells it from others. One for every file whose further names are still to come, or
     * outside the tree, so it keeps no more of a status than it needs.
     */
    record Place(TargetDirectory directory, ByteString name, long inode, long device, long specialDevice, long size,
            long mtimeSeconds, int mtimeNanos, int mode, int uid, int gid) {

        /**
         * Returns the place of a copy.
         *
         * @param made its status when it was finished
         */
        static Place of(TargetDirectory directory, ByteString name, FileStatus made) {
            return new Place(directory, name, made.inode(), made.device(), made.specialDevice(), made.size(),
                    made.mtimeSeconds(), made.mtimeNanos(), made.mode(), (int) made.uid(), (int) made.gid());
        }

        /**
         * Returns whether what has the name by now may be linked to: the copy, or what another run of the same command
         * has put in its place. Somebody who may write to the directory could have put anything there, but nothing that
         * looks like this unless the file is theirs anyway.
         */
        boolean isStill(FileStatus now) {
            boolean isAlike = now.mode() == mode && (int) now.uid() == uid && (int) now.gid() == gid
                    && now.size() == size && now.specialDevice() == specialDevice && now.mtimeSeconds() == mtimeSeconds
                    && now.mtimeNanos() == mtimeNanos;
            return now.device() == device && (now.inode() == inode || isAlike);
        }
    }

    /**
     * A name that waits for the copy that leads.
     *
     * @param holder who holds its directory, and the walk, for that
     */
    record Waiting(CopyTask task, WalkWorker<TargetDirectory> holder) {}

    private record Key(long device, long inode) {}

    private final ConcurrentHashMap<Key, Group> groups = new ConcurrentHashMap<>();

    /**
     * Returns the group that a file belongs to.
     *
     * @param status of the source; its link count is greater than one
     */
    Group group(FileStatus status) {
        Key key = new Key(status.device(), status.inode());
        return groups.computeIfAbsent(key, k -> new Group(k, status.linkCount()));
    }

    /** One file with several names. */
    final class Group {
        private final Key key;
        // Most groups never have any.
        private List<Waiting> waiting = List.of();
        private long missing;
        private boolean isLed;
        private @Nullable Place leader;

        private Group(Key key, long linkCount) {
            this.key = key;
            this.missing = linkCount;
        }

        /**
         * Joins the group with one more name.
         *
         * @param holder who holds the name's directory, should it wait
         * @return what the caller does now
         */
        synchronized Part join(CopyTask task, WalkWorker<TargetDirectory> holder) {
            if (leader != null) {
                return Part.LINK;
            }
            if (isLed) {
                waiting = waiting.isEmpty() ? new ArrayList<>() : waiting;
                waiting.add(new Waiting(task, holder));
                return Part.WAIT;
            }
            isLed = true;
            return Part.LEAD;
        }

        /** Returns the copy to link to, once it is there. */
        synchronized Optional<Place> leader() {
            return Optional.ofNullable(leader);
        }

        /**
         * Says that the leader's copy stands; returns the names that waited for it. The caller links them.
         */
        synchronized List<Waiting> succeeded(Place place) {
            leader = place;
            List<Waiting> followers = waiting;
            waiting = List.of();
            nameDone();
            return followers;
        }

        /**
         * Says that the leader's copy failed, or is nothing to link to. The caller has {@link #next()} done.
         */
        synchronized void failed() {
            isLed = false;
            nameDone();
        }

        /** Says that no more links can be made to a copy. The caller joins again: the first to say so leads. */
        synchronized void noMoreLinks(Place place) {
            if (place.equals(leader)) {
                leader = null;
                isLed = false;
            }
        }

        /** Says that the leader tries again: it joins anew, or has {@link #next()} done when it cannot. */
        synchronized void resigned() {
            isLed = false;
        }

        /** Returns a name that waits while no other leads: it must join, or ask for the next in its turn. */
        synchronized Optional<Waiting> next() {
            boolean mayWait = isLed || leader != null || waiting.isEmpty();
            return mayWait ? Optional.empty() : Optional.of(waiting.removeLast());
        }

        /** Says that one name is done. When it was the last, the group is forgotten. */
        synchronized void nameDone() {
            if (--missing <= 0) {
                groups.remove(key, this);
            }
        }
    }

    /** What a thread does with a name of a group. */
    enum Part {
        /** Copies the file. */
        LEAD,
        /** Links to the copy that stands. */
        LINK,
        /** Nothing: the task waits in the group and is done by who finishes the copy. */
        WAIT
    }
}
