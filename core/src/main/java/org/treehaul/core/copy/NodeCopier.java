// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.copy.target.Placer;
import org.treehaul.core.copy.target.TargetAccess;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * Creates entries without data: symbolic links, FIFOs, sockets and devices. Not safe for several threads.
 *
 * <p>
 * Metadata are set through an O_PATH descriptor of the new entry, after checking it: the name could belong to another
 * file by then.
 */
final class NodeCopier {

    private static final int TRIES = 8;

    private final CopyContext context;
    private final FileAccess access;
    private final FileSystemCalls calls;
    private final MetadataWriter metadata;
    private final TargetAccess target;
    private final MemorySegment linkTarget = Arena.ofAuto().allocate(4096);

    // The status of the last entry made, after it was finished; null if unknown.
    private @Nullable FileStatus made;

    // Why the metadata of the last entry could not be copied; null if they were.
    private @Nullable SystemCallException problem;

    NodeCopier(CopyContext context, TargetAccess target, MetadataWriter metadata) {
        this.context = context;
        this.access = target.files();
        this.calls = access.calls();
        this.metadata = metadata;
        this.target = target;
    }

    /**
     * Returns the status of the last entry that {@link #copy} made from a source with several names; null if it could
     * not be finished, so that nothing should be linked to it.
     */
    @Nullable FileStatus made() {
        return made;
    }

    /** The result. */
    enum Outcome {
        /** The entry was created. */
        MADE,
        /** The existing entry was kept, according to the options. */
        SKIPPED,
        /** The entry was created without all its metadata, which was reported as a failure. */
        INCOMPLETE
    }

    /** Creates a symbolic link, FIFO, socket or device like the source. */
    Outcome copy(CopyTask task, FileStatus source, int sourceDirectory, MemorySegment sourceName, int directory,
            MemorySegment name) throws SystemCallException, TargetException {
        made = null;
        Placer.Maker maker = maker(source, sourceDirectory, sourceName, directory);
        // There is no descriptor of a followed link's target from which attributes could be read.
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
                    target.collisions().check(task.besides(), task.target(), directory, task.targetName());
                    ExistingTarget.Decision decision = target.existing()
                            .decide(source, there, task.path().isRoot(), directory, name,
                                    () -> access.followedStatus(sourceDirectory, sourceName));
                    if (decision != ExistingTarget.Decision.SKIP && !target.confirmation().allows(task)) {
                        return Outcome.SKIPPED;
                    }
                    switch (decision) {
                        case SKIP -> {
                            return Outcome.SKIPPED;
                        }
                        // Only its attributes change, and only if it equals the source otherwise.
                        case THROUGH -> {
                            wasThere = isAlike(source, sourceDirectory, sourceName, there, directory, name);
                            answer = wasThere ? 0 : answer;
                        }
                        case REPLACE -> {
                            target.backups()
                                    .replace(task, source, directory, name,
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

    // Completed before it gets its name: a client that caches names (MooseFS) finds the old entry under the name for a
    // while.
    private void replace(CopyTask task, FileStatus source, SortedMap<ByteString, ByteString> attributes,
            Placer.Maker maker, int directory, MemorySegment name) throws TargetException {
        problem = null;
        target.placer().replaceBy(directory, name, false, temporary -> {
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
        context.outcomes().failed(task, new TargetException(problem), 1);
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

    /** Reads the attributes of a source that will be copied. */
    SortedMap<ByteString, ByteString> attributes(FileStatus source, int directory, MemorySegment name)
            throws SystemCallException {
        // A symbolic link can have neither user attributes nor an ACL; the call is skipped unless trusted attributes
        // are requested.
        boolean none = metadata.policy().isEmpty()
                || source.kind() == EntryKind.SYMLINK && !metadata.policy().trusted();
        return none
                ? new TreeMap<>()
                : ExtendedAttributes.read(access, directory, name, source, metadata.policy(),
                        context.metadata().aclListing());
    }

    private @Nullable SystemCallException carry(CopyTask task, FileStatus source,
            SortedMap<ByteString, ByteString> attributes, int directory, MemorySegment name, boolean wasThere) {
        SystemCallException failed = carryOnce(task, source, attributes, directory, name, wasThere);
        for (int tries = 1; failed != null && context.retries().mayRetry(failed, tries); tries++) {
            failed = carryOnce(task, source, attributes, directory, name, wasThere);
        }
        return failed;
    }

    private @Nullable SystemCallException carryOnce(CopyTask task, FileStatus source,
            SortedMap<ByteString, ByteString> attributes, int directory, MemorySegment name, boolean wasThere) {
        int node = access.tryOpen(directory, name, O_PATH | O_NOFOLLOW, 0);
        if (node < 0) {
            return new SystemCallException("open", -node);
        }
        try {
            FileStatus there = access.status(node);
            if (there.kind() != source.kind() || there.specialDevice() != source.specialDevice()) {
                // Another file has taken the name in between; it must not be changed.
                return new SystemCallException("open", Errno.ESTALE);
            }
            SystemCallException failed = metadata.toNode(node, source, there, task.target(), attributes, wasThere);
            if (failed != null) {
                return failed;
            }
            metadata.timesOfNode(source, node, directory, name);
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
}
