// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import java.util.LinkedHashMap;

import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.entry.FileStatus;

/**
 * The changes that a copy makes to the status of its own sources. A name at the destination may be a further name of a
 * source; replacing it or backing it up changes the ctime of that source, and nothing else that identifies a version.
 * Such a change is recorded with the version before and the version after, so that the source's other names are not
 * taken for changed. Every other change remains visible: the version found must be the one recorded.
 *
 * <p>
 * Remembers only the latest changes; a source that is forgotten is reported as changed and copied again by a resumed
 * transfer. Not safe for several threads.
 */
final class OwnChanges {

    private static final int LIMIT = 4096;

    private final LinkedHashMap<SourceIdentity, SourceIdentity> after = new LinkedHashMap<>();

    // Each node numbers its devices in its own way.
    private static SourceIdentity key(SourceIdentity version) {
        return new SourceIdentity(0, version.inode(), version.size(), version.mtimeSeconds(), version.mtimeNanos(),
                version.ctimeSeconds(), version.ctimeNanos());
    }

    /**
     * Records that a name of a source was replaced.
     *
     * @param before the status of the source before
     * @param now its status afterwards; ignored if more than the ctime differs
     */
    void record(FileStatus before, FileStatus now) {
        boolean isOwn = now.isSameFile(before) && now.size() == before.size() && now.mtime().equals(before.mtime())
                && !now.ctime().equals(before.ctime());
        if (isOwn) {
            after.put(key(SourceIdentity.of(before)), key(SourceIdentity.of(now)));
            if (after.size() > LIMIT) {
                after.pollFirstEntry();
            }
        }
    }

    /** Returns whether a source is still in this version, apart from the recorded changes. */
    boolean isUnchanged(SourceIdentity version, FileStatus now) {
        SourceIdentity found = key(SourceIdentity.of(now));
        SourceIdentity expected = key(version);
        // A clock that was set back could make a circle.
        for (int i = 0; i <= LIMIT; i++) {
            if (found.equals(expected)) {
                return true;
            }
            SourceIdentity next = after.get(expected);
            if (next == null) {
                return false;
            }
            expected = next;
        }
        return false;
    }
}
