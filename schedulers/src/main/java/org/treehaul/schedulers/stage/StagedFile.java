// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;

/**
 * An entry of a stage. A tuple of the catalogue. Immutable.
 *
 * @param stage the name of the stage
 * @param path the path in the stage, without a slash at its beginning or end; empty for the top
 * @param id the id of the file, which it keeps until it is made anew
 * @param generation the generation of its segments, 1 or more
 * @param state whether it is complete
 * @param kind its kind: a regular file, a directory or a symbolic link
 * @param size the size of a regular file in bytes, as it was when a client closed it last
 * @param mode permission bits with set-id and sticky bits
 * @param owner numeric ID of the owner
 * @param group numeric ID of the group
 * @param mtimeSeconds time of the last change of the data, seconds since 1970
 * @param mtimeNanos and nanoseconds
 * @param target the target of a symbolic link; null for all else
 * @param servers the names of the servers of a regular file in the order of its layout, with commas between them; empty
 *        for all else
 * @param segments the number of segments of a regular file; 0 for all else
 * @param stripe the bytes of a stripe of a regular file; 0 for all else
 * @param copies the number of copies of each segment of a regular file; 0 for all else
 * @param stale the copies that missed a write, {@code SEGMENT@SERVER} with commas between them, and where no copy had a
 *        collective write, {@code SEGMENT!SERVER}; mostly empty
 * @param isSaved whether the entry is as its source was when it was staged in, or as it was copied out last
 */
public record StagedFile(String stage, ByteString path, UUID id, long generation, StagedState state, EntryKind kind,
        long size, int mode, long owner, long group, long mtimeSeconds, int mtimeNanos, @Nullable ByteString target,
        String servers, int segments, long stripe, int copies, String stale, boolean isSaved) {

    // No name of a server contains it.
    private static final String LACKS = "!";

    /** Checks that nothing is absent that must be there. */
    public StagedFile {
        Objects.requireNonNull(stage);
        Objects.requireNonNull(path);
        Objects.requireNonNull(id);
        Objects.requireNonNull(state);
        Objects.requireNonNull(kind);
        Objects.requireNonNull(servers);
        Objects.requireNonNull(stale);
    }

    /** Creates an entry with one copy of each segment, whose data are in the stage only. */
    public StagedFile(String stage, ByteString path, UUID id, long generation, StagedState state, EntryKind kind,
            long size, int mode, long owner, long group, long mtimeSeconds, int mtimeNanos, @Nullable ByteString target,
            String servers, int segments, long stripe) {
        this(stage, path, id, generation, state, kind, size, mode, owner, group, mtimeSeconds, mtimeNanos, target,
                servers, segments, stripe, kind == EntryKind.REGULAR ? 1 : 0, "", false);
    }

    /**
     * Returns the layout of a regular file.
     *
     * @throws IllegalArgumentException if the entry is not a regular file, or the tuple is damaged
     */
    public StripeLayout layout() {
        return new StripeLayout(List.of(servers.split(",", -1)), segments, stripe, copies);
    }

    /** Returns the key of a segment. */
    public SegmentKey key(int segment) {
        return new SegmentKey(id, generation, segment);
    }

    /** Returns the time of the last change of the data. */
    public Timestamp mtime() {
        return new Timestamp(mtimeSeconds, mtimeNanos);
    }

    /** Returns the servers that have a copy of a segment which did not miss a write, in the order of the copies. */
    public List<String> good(int segment) {
        if (stale.isEmpty()) {
            return layout().serversOf(segment);
        }
        return layout().serversOf(segment).stream().filter(server -> !isStale(segment, server)).toList();
    }

    /** Returns whether the copy of a segment on a server missed a write. */
    public boolean isStale(int segment, String server) {
        return !stale.isEmpty() && stales().contains(segment + "@" + server);
    }

    /** Returns the same file with the mark that no copy of a segment has all of a collective write. */
    StagedFile withIncomplete(int segment) {
        List<String> marks = new ArrayList<>(stales());
        good(segment).stream()
                .map(server -> segment + LACKS + server)
                .filter(mark -> !marks.contains(mark))
                .forEach(marks::add);
        return with(servers, String.join(",", marks));
    }

    /** Returns the same file without the marks of collective writes that failed: it has no data. */
    StagedFile withoutData() {
        return with(servers, String.join(",", stales().stream().filter(mark -> !mark.contains(LACKS)).toList()));
    }

    /**
     * Returns the segments that a collective write did not reach as a whole, with the servers on which it failed:
     * {@code SEGMENT!SERVER}. If there are any, the file is incomplete: it can only be opened to be written.
     */
    public List<String> incomplete() {
        return stales().stream().filter(mark -> mark.contains(LACKS)).toList();
    }

    /** Returns why a file cannot be read, or get its path, if it is incomplete. */
    StageException refusal(String name, String operation) {
        return new StageException(name,
                operation + ": the file is incomplete, because a collective write failed (segment!server "
                        + String.join(", ", incomplete()) + ")",
                Errno.EIO);
    }

    private List<String> stales() {
        return stale.isEmpty() ? List.of() : List.of(stale.split(",", -1));
    }

    /** Returns the same file with a copy that is marked stale. */
    public StagedFile withStale(int segment, String server) {
        return isStale(segment, server)
                ? this
                : with(servers, stale.isEmpty() ? segment + "@" + server : stale + "," + segment + "@" + server);
    }

    /** Returns the same file with the copy of a segment on another server, or on the same one, which is not stale. */
    public StagedFile withCopy(int segment, String before, String after) {
        String marks = String.join(",",
                stales().stream().filter(mark -> !mark.equals(segment + "@" + before)).toList());
        return with(before.equals(after) ? servers : String.join(",", layout().moved(segment, before, after).servers()),
                marks);
    }

    /** Returns the same file with the servers of its copies only. */
    StagedFile placed() {
        return with(String.join(",", layout().moved(0, "", "").servers()), stale);
    }

    private StagedFile with(String otherServers, String otherStale) {
        return copy(path, generation, state, size, mtime(), otherServers, otherStale, isSaved);
    }

    /** Returns the same entry, whose source or copy is equal to it or not. */
    public StagedFile saved(boolean isSavedNow) {
        return copy(path, generation, state, size, mtime(), servers, stale, isSavedNow);
    }

    /** Returns the same entry in another state. */
    public StagedFile in(StagedState other) {
        return copy(path, generation, other, size, mtime(), servers, stale, isSaved);
    }

    /** Returns the same file with another size and time. */
    StagedFile with(long otherSize, Timestamp mtime) {
        return copy(path, generation, state, otherSize, mtime, servers, stale, isSaved);
    }

    /** Returns the same entry under another path, under which nothing else has it. */
    StagedFile at(ByteString otherPath) {
        return copy(otherPath, generation, state, size, mtime(), servers, stale, false);
    }

    /** Returns the same file in its next generation, which its segments do not have yet. */
    StagedFile next(StagedState change, ByteString otherPath, long otherSize) {
        return copy(otherPath, generation + 1, change, otherSize, mtime(), servers, stale,
                isSaved && otherPath.equals(path) && otherSize == size && change != StagedState.TRUNCATING);
    }

    private StagedFile copy(ByteString otherPath, long otherGeneration, StagedState otherState, long otherSize,
            Timestamp mtime, String otherServers, String otherStale, boolean isSavedNow) {
        return new StagedFile(stage, otherPath, id, otherGeneration, otherState, kind, otherSize, mode, owner, group,
                mtime.seconds(), mtime.nanos(), target, otherServers, segments, stripe, copies, otherStale, isSavedNow);
    }

    /** Returns the path of a name in a directory of a stage. */
    public static ByteString join(ByteString directory, ByteString name) {
        if (directory.length() == 0 || name.length() == 0) {
            return directory.length() == 0 ? name : directory;
        }
        byte[] head = directory.toBytes();
        byte[] tail = name.toBytes();
        byte[] path = Arrays.copyOf(head, head.length + 1 + tail.length);
        path[head.length] = '/';
        System.arraycopy(tail, 0, path, head.length + 1, tail.length);
        return ByteString.of(path);
    }
}
