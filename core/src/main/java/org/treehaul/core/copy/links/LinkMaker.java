// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.links;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_FOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.copy.target.TargetAccess;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/**
 * Makes hard links to existing copies, for further names of files with several names. Not safe for several threads.
 */
public final class LinkMaker {

    private static final int TRIES = 8;

    // Not an errno: see Outcome.LOST.
    private static final int LOST = -10_000;

    /** The result. */
    public enum Outcome {
        /** The link was created. */
        DONE,
        /** The link existed already. */
        PRESENT,
        /** The link replaced another file. */
        REPLACED,
        /** The existing entry was kept, according to the options. */
        SKIPPED,
        /** The destination allows no links there. */
        IMPOSSIBLE,
        /** The destination allows no more links to this file. */
        FULL,
        /** Another file has replaced the one to link to. */
        LOST,
        /** The existing entry must not be replaced: data must be written to it. */
        THROUGH
    }

    private final CopyOptions options;
    private final List<CopyPair> pairs;
    private final FileAccess access;
    private final FileSystemCalls calls;
    private final TargetAccess target;
    private final MemorySegment leaderName = Arena.ofAuto().allocate(4096);

    // The file to which the last link was, or would have been, made; null if its name belonged to another file.
    private @Nullable FileStatus led;

    public LinkMaker(CopyOptions options, List<CopyPair> pairs, TargetAccess target) {
        this.options = options;
        this.pairs = pairs;
        this.access = target.files();
        this.calls = access.calls();
        this.target = target;
    }

    /**
     * Makes a hard link.
     *
     * @param source the status of the source's name
     */
    public Outcome link(HardLinks.Place leader, CopyTask task, FileStatus source, int directory, MemorySegment name)
            throws TargetException {
        int leaderDirectory = leader.directory().acquire(access);
        try {
            FileAccess.put(leaderName, leader.name());
            Outcome outcome = linkOnce(leader, leaderDirectory, task, source, directory, name);
            if (outcome == Outcome.PRESENT && options.existing() == CopyOptions.Existing.UPDATE) {
                return Outcome.SKIPPED;
            }
            for (int tries = 1; outcome == Outcome.REPLACED && tries < TRIES; tries++) {
                // Another run of the same copy may have replaced the leader in between, after it had checked this name.
                outcome = linkOnce(leader, leaderDirectory, task, source, directory, name);
            }
            return outcome == Outcome.REPLACED || outcome == Outcome.PRESENT ? Outcome.DONE : outcome;
        } finally {
            leader.directory().handle().release();
        }
    }

    private Outcome linkOnce(HardLinks.Place leader, int leaderDirectory, CopyTask task, FileStatus source,
            int directory, MemorySegment name) throws TargetException {
        int result = linkLeader(leader, leaderDirectory, directory, name);
        if (result != -Errno.EEXIST) {
            return linked(result);
        }
        FileStatus there = ExistingTarget.find(access, directory, name);
        if (there != null && led != null && there.isSameFile(led)) {
            return Outcome.PRESENT;
        }
        if (there != null) {
            target.collisions().check(task.besides(), task.target(), directory, task.targetName());
            ExistingTarget.Decision decision = target.existing()
                    .decideLink(source, there, task.path().isRoot(), directory, name, () -> referent(task));
            if (decision != ExistingTarget.Decision.SKIP && !target.confirmation().allows(task)) {
                return Outcome.SKIPPED;
            }
            switch (decision) {
                case SKIP -> {
                    return Outcome.SKIPPED;
                }
                case THROUGH, REPLACE -> {
                    // With --attributes-only the existing file keeps its data, and gets the attributes separately.
                    boolean keepsData = options.attributesOnly() && !options.removeDestination();
                    boolean isThrough = decision == ExistingTarget.Decision.THROUGH
                            && there.kind() != EntryKind.REGULAR;
                    if (keepsData || isThrough) {
                        return Outcome.THROUGH;
                    }
                }
            }
        }
        return replaced(leader, leaderDirectory, task, source, directory, name);
    }

    private FileStatus referent(CopyTask task) throws SystemCallException {
        Directory beside = task.besides();
        if (beside == null) {
            return LongPath.status(access, pairs.get(task.rootIndex()).source().path(), true);
        }
        int descriptor = beside.acquire(access);
        try {
            return access.followedStatus(descriptor, access.name(task.path().name().toBytes()));
        } finally {
            beside.release();
        }
    }

    // Links through a descriptor whose file was checked: a user with write permission in the leader's directory could
    // put another file under its name, and a link to that file would then appear in a directory where that user may not
    // write. The kernel returns ENOENT if the leader is replaced between the check and the link.
    private int linkLeader(HardLinks.Place leader, int leaderDirectory, int directory, MemorySegment name) {
        int result = -Errno.ENOENT;
        for (int i = 0; i < TRIES && result == -Errno.ENOENT; i++) {
            led = null;
            int node = access.tryOpen(leaderDirectory, leaderName, O_PATH | O_NOFOLLOW, 0);
            if (node < 0) {
                result = node;
                continue;
            }
            try {
                FileStatus now = access.status(node);
                if (!leader.isStill(now)) {
                    return LOST;
                }
                led = now;
                result = calls.linkat(AT_FDCWD, access.procPath(node), directory, name, AT_SYMLINK_FOLLOW);
            } catch (SystemCallException e) {
                result = -e.errno();
            } finally {
                access.closeQuietly(node);
            }
        }
        return result;
    }

    private Outcome replaced(HardLinks.Place leader, int leaderDirectory, CopyTask task, FileStatus source,
            int directory, MemorySegment name) throws TargetException {
        try {
            target.backups()
                    .replace(task, source, directory, name,
                            () -> target.placer()
                                    .replaceBy(directory, name, true,
                                            temporary -> linkLeader(leader, leaderDirectory, directory, temporary)));
            return Outcome.REPLACED;
        } catch (TargetException e) {
            // If space for names is short, the rename to a longer name may be the call that fails.
            if (e.call().operation().equals("link") || e.call().errno() == Errno.EMLINK) {
                return linked(-e.call().errno());
            }
            throw e;
        }
    }

    private static Outcome linked(int result) throws TargetException {
        return switch (-result) {
            case Errno.EMLINK -> Outcome.FULL;
            case Errno.EPERM, Errno.EOPNOTSUPP, Errno.EXDEV -> Outcome.IMPOSSIBLE;
            case -LOST -> Outcome.LOST;
            default -> {
                TargetException.check("link", result);
                yield Outcome.DONE;
            }
        };
    }

}
