// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * Makes what has no data: symbolic links, FIFOs, sockets and devices. Used by one thread.
 *
 * <p>
 * Metadata are set by a descriptor of what was made (O_PATH), after a look that it is that: a name could be another
 * file's by then.
 */
final class NodeCopier {

    private static final int TRIES = 8;

    private final CopyRun run;
    private final FileAccess access;
    private final FileSystemCalls calls;
    private final MetadataWriter metadata;
    private final Placer placer;
    private final ExistingTarget existing;
    private final Backups backups;
    private final NameCollisions collisions;
    private final MemorySegment linkTarget = Arena.ofAuto().allocate(4096);

    // What was made last, when it was finished; null where that is not known.
    private @Nullable FileStatus made;

    // Why the metadata of what was made last could not be carried over.
    private @Nullable SystemCallException problem;

    NodeCopier(CopyRun run, FileAccess access, MetadataWriter metadata, Placer placer, NameCollisions collisions) {
        this.run = run;
        this.access = access;
        this.calls = access.calls();
        this.metadata = metadata;
        this.placer = placer;
        this.existing = new ExistingTarget(run.options(), access);
        this.backups = new Backups(run, access, placer);
        this.collisions = collisions;
    }

    /**
     * Returns the status of what {@link #copy} made last, of a source with several names; null where it could not be
     * finished, so that nothing should become a link to it.
     */
    @Nullable FileStatus made() {
        return made;
    }

    /** How it ended. */
    enum Outcome {
        /** It stands. */
        MADE,
        /** What was there stays, as the options say. */
        SKIPPED,
        /** It stands, but not with all its metadata, and that was told as a failure. */
        INCOMPLETE
    }

    /** Makes a symbolic link, FIFO, socket or device like the source. */
    Outcome copy(CopyTask task, FileStatus source, int sourceDirectory, MemorySegment sourceName, int directory,
            MemorySegment name) throws SystemCallException, TargetException {
        made = null;
        Placer.Maker maker = maker(source, sourceDirectory, sourceName, directory);
        // Of a followed link's target there is no descriptor that attributes could be read from.
        SortedMap<ByteString, ByteString> attributes = task.isFollowed()
                ? new TreeMap<>()
                : attributes(source, sourceDirectory, sourceName);
        for (int tries = 1;; tries++) {
            int answer = maker.make(name);
            boolean wasThere = false;
            if (answer == -Errno.EEXIST) {
                FileStatus there = ExistingTarget.find(access, directory, name);
                if (there == null && tries < TRIES) {
                    continue;
                }
                if (there != null) {
                    collisions.check(task.besides(), task.target(), directory, task.targetName());
                    ExistingTarget.Decision decision = existing.decide(source, there, task.path().isRoot(), directory,
                            name, () -> access.followedStatus(sourceDirectory, sourceName));
                    if (decision != ExistingTarget.Decision.SKIP && !run.mayReplace(task)) {
                        return Outcome.SKIPPED;
                    }
                    switch (decision) {
                        case SKIP -> {
                            return Outcome.SKIPPED;
                        }
                        // Only its attributes change, and only where it is what it is to be.
                        case THROUGH -> {
                            wasThere = isAlike(source, sourceDirectory, sourceName, there, directory, name);
                            answer = wasThere ? 0 : answer;
                        }
                        case REPLACE -> {
                            backups.replace(task, source, directory, name,
                                    () -> replace(task, source, attributes, maker, directory, name));
                            return ended(task);
                        }
                    }
                }
            }
            TargetException.check(source.kind() == EntryKind.SYMLINK ? "symlink" : "mknod", answer);
            problem = carry(task, source, attributes, directory, name, wasThere);
            return ended(task);
        }
    }

    private boolean isAlike(FileStatus source, int sourceDirectory, MemorySegment sourceName, FileStatus there,
            int directory, MemorySegment name) throws SystemCallException {
        return source.kind() == EntryKind.SYMLINK
                ? access.linkTarget(sourceDirectory, sourceName).equals(access.linkTarget(directory, name))
                : source.specialDevice() == there.specialDevice();
    }

    // Complete before it gets its name: a client that caches names (MooseFS) finds the old one under it for a while.
    private void replace(CopyTask task, FileStatus source, SortedMap<ByteString, ByteString> attributes,
            Placer.Maker maker, int directory, MemorySegment name) throws TargetException {
        problem = null;
        placer.replaceBy(directory, name, false, temporary -> {
            int answer = maker.make(temporary);
            if (answer == 0) {
                problem = carry(task, source, attributes, directory, temporary, false);
            }
            return answer;
        });
    }

    private Outcome ended(CopyTask task) {
        if (problem == null) {
            return Outcome.MADE;
        }
        run.targetFailed(task, problem, 1);
        return Outcome.INCOMPLETE;
    }

    private Placer.Maker maker(FileStatus source, int sourceDirectory, MemorySegment sourceName, int directory)
            throws SystemCallException {
        if (source.kind() == EntryKind.SYMLINK) {
            FileAccess.put(linkTarget, access.linkTarget(sourceDirectory, sourceName));
            return as -> calls.symlinkat(linkTarget, directory, as);
        }
        int mode = source.kind().typeBits() | source.permissions() & 0700;
        return as -> calls.mknodat(directory, as, mode, source.specialDevice());
    }

    private SortedMap<ByteString, ByteString> attributes(FileStatus source, int directory, MemorySegment name)
            throws SystemCallException {
        // A symbolic link can have no attributes of users and no ACL; the call is saved unless trusted ones are wanted.
        boolean none = metadata.policy().isEmpty()
                || source.kind() == EntryKind.SYMLINK && !metadata.policy().trusted();
        return none
                ? new TreeMap<>()
                : ExtendedAttributes.read(access, directory, name, source, metadata.policy(), run.aclListing());
    }

    private @Nullable SystemCallException carry(CopyTask task, FileStatus source,
            SortedMap<ByteString, ByteString> attributes, int directory, MemorySegment name, boolean wasThere) {
        int node = access.tryOpen(directory, name, O_PATH | O_NOFOLLOW, 0);
        if (node < 0) {
            return new SystemCallException("open", -node);
        }
        try {
            FileStatus there = access.status(node);
            if (there.kind() != source.kind() || there.specialDevice() != source.specialDevice()) {
                // Somebody has put another file under the name meanwhile; it is not ours to change.
                return new SystemCallException("open", Errno.ESTALE);
            }
            SystemCallException failed = metadata.toNode(node, source, there, task.target(), attributes, wasThere);
            if (failed != null) {
                return failed;
            }
            setTimes(source, node, directory, name);
            if (source.linkCount() > 1) {
                made = access.status(node);
            }
            return null;
        } catch (SystemCallException e) {
            return e;
        } finally {
            access.closeQuietly(node);
        }
    }

    private void setTimes(FileStatus source, int node, int directory, MemorySegment name) throws SystemCallException {
        if (run.preserves(Preserve.TIMESTAMPS)) {
            int set = calls.utimensat(node, FileAccess.emptyName(), access.times(source), AT_EMPTY_PATH);
            if (set == -Errno.EINVAL) {
                // Before Linux 5.8 the call takes no empty path.
                set = calls.utimensat(directory, name, access.times(source), AT_SYMLINK_NOFOLLOW);
            }
            FileAccess.check("utimensat", set);
        }
    }
}
