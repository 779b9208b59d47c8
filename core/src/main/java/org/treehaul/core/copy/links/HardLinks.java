// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.links;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileId;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.walk.WalkWorker;

/**
 * The files of the source with several names. The first name that a thread finds leads: its file is copied, and the
 * other names become links to the copy, at once or as soon as the copy is finished. If it fails, the next name leads;
 * so does the next name when the copy can have no more links. A group is forgotten when all its names are done, so
 * memory is needed only for open groups.
 *
 * <p>
 * Safe for any number of threads. Threads wait here only for updates in memory, never for a file.
 */
public final class HardLinks {

    /**
     * The location and identifying attributes of a copy. There is one for every file with further names that are still
     * to come or outside the tree, so it keeps no more of a status than needed.
     */
    public record Place(TargetDirectory directory, ByteString name, long inode, long device, long specialDevice,
            long size, long mtimeSeconds, int mtimeNanos, int mode, int uid, int gid) {

        /**
         * Returns the place of a copy.
         *
         * @param made its status after it was finished
         */
        public static Place of(TargetDirectory directory, ByteString name, FileStatus made) {
            return new Place(directory, name, made.inode(), made.device(), made.specialDevice(), made.size(),
                    made.mtimeSeconds(), made.mtimeNanos(), made.mode(), (int) made.uid(), (int) made.gid());
        }

        /**
         * Returns whether the file that now has the name may be linked to: the copy, or a file that another run of the
         * same command has put in its place. Another user with write permission in the directory could have put a
         * different file there, but one with these attributes only if the file is theirs anyway.
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
     * @param holder the worker that holds its directory, and the walk, for it
     */
    record Waiting(CopyTask task, WalkWorker<TargetDirectory> holder) {}

    private final ConcurrentHashMap<FileId, Group> groups = new ConcurrentHashMap<>();

    /**
     * Returns the group of a file.
     *
     * @param status status of the source, with a link count greater than one
     */
    public Group group(FileStatus status) {
        FileId file = FileId.of(status);
        return groups.computeIfAbsent(file, f -> new Group(f, status.linkCount()));
    }

    /** Returns whether a copied file has names that were not copied, because they are elsewhere or failed. */
    public boolean isAnyOpen() {
        return !groups.isEmpty();
    }

    /**
     * Registers a copy that was finished before: further names of its source become links to it.
     *
     * @param status status of the source
     */
    public void copied(FileStatus status, Place copy) {
        if (status.linkCount() > 1) {
            group(status).succeeded(copy);
        }
    }

    /** The names of one file. */
    public final class Group {
        private final FileId file;
        // Most groups never have waiting names.
        private List<Waiting> waiting = List.of();
        private long missing;
        private boolean isLed;
        private @Nullable Place leader;

        private Group(FileId file, long linkCount) {
            this.file = file;
            this.missing = linkCount;
        }

        /**
         * Adds a name to the group.
         *
         * @param holder the worker that holds the name's directory if the name must wait
         * @return the caller's next step
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

        /** Returns the copy to link to, once it exists. */
        synchronized Optional<Place> leader() {
            return Optional.ofNullable(leader);
        }

        /**
         * Registers the leader's finished copy and returns the names that waited for it, which the caller must link.
         */
        synchronized List<Waiting> succeeded(Place place) {
            leader = place;
            List<Waiting> followers = waiting;
            waiting = List.of();
            nameDone();
            return followers;
        }

        /** Reports that the leader's copy failed, or cannot be linked to. The caller must start {@link #next()}. */
        synchronized void failed() {
            isLed = false;
            nameDone();
        }

        /** Reports that a copy can have no more links. The caller joins again: the first caller then leads. */
        synchronized void noMoreLinks(Place place) {
            if (place.equals(leader)) {
                leader = null;
                isLed = false;
            }
        }

        /** Reports that the leader tries again: it joins again, or starts {@link #next()} if it cannot. */
        public synchronized void resigned() {
            isLed = false;
        }

        /** Returns a waiting name if no name leads: it must join, or start the next one in turn. */
        synchronized Optional<Waiting> next() {
            boolean mayWait = isLed || leader != null || waiting.isEmpty();
            return mayWait ? Optional.empty() : Optional.of(waiting.removeLast());
        }

        /** Reports that one name is done. After the last one, the group is forgotten. */
        synchronized void nameDone() {
            if (--missing <= 0) {
                groups.remove(file, this);
            }
        }
    }

    /** The next step of a thread that handles a name of a group. */
    public enum Part {
        /** Copy the file. */
        LEAD,
        /** Link to the existing copy. */
        LINK,
        /** None: the task waits in the group, and the thread that finishes the copy continues it. */
        WAIT
    }
}
