// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;

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
 */
public record StagedFile(String stage, ByteString path, UUID id, long generation, StagedState state, EntryKind kind,
        long size, int mode, long owner, long group, long mtimeSeconds, int mtimeNanos, @Nullable ByteString target,
        String servers, int segments, long stripe) {

    /** Checks that nothing is absent that must be there. */
    public StagedFile {
        Objects.requireNonNull(stage);
        Objects.requireNonNull(path);
        Objects.requireNonNull(id);
        Objects.requireNonNull(state);
        Objects.requireNonNull(kind);
        Objects.requireNonNull(servers);
    }

    /**
     * Returns the layout of a regular file.
     *
     * @throws IllegalArgumentException if the entry is not a regular file, or the tuple is damaged
     */
    public StripeLayout layout() {
        return new StripeLayout(List.of(servers.split(",", -1)), segments, stripe);
    }

    /** Returns the key of a segment. */
    public SegmentKey key(int segment) {
        return new SegmentKey(id, generation, segment);
    }

    /** Returns the time of the last change of the data. */
    public Timestamp mtime() {
        return new Timestamp(mtimeSeconds, mtimeNanos);
    }

    /** Returns the same entry in another state. */
    StagedFile in(StagedState other) {
        return new StagedFile(stage, path, id, generation, other, kind, size, mode, owner, group, mtimeSeconds,
                mtimeNanos, target, servers, segments, stripe);
    }

    /** Returns the same file with another size and time. */
    StagedFile with(long otherSize, Timestamp mtime) {
        return new StagedFile(stage, path, id, generation, state, kind, otherSize, mode, owner, group, mtime.seconds(),
                mtime.nanos(), target, servers, segments, stripe);
    }

    /** Returns the same entry under another path. */
    StagedFile at(ByteString otherPath) {
        return new StagedFile(stage, otherPath, id, generation, state, kind, size, mode, owner, group, mtimeSeconds,
                mtimeNanos, target, servers, segments, stripe);
    }

    /** Returns the same file in its next generation, which its segments do not have yet. */
    StagedFile next(StagedState change, ByteString otherPath, long otherSize) {
        return new StagedFile(stage, otherPath, id, generation + 1, change, kind, otherSize, mode, owner, group,
                mtimeSeconds, mtimeNanos, target, servers, segments, stripe);
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
