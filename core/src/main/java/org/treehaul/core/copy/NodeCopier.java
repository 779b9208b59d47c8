// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.S_ISGID;
import static org.treehaul.core.fs.LinuxConstants.S_ISUID;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Map;
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
 * Makes what has no data: symbolic links, FIFOs, sockets, devices, and further links to files. Used by one thread.
 *
 * <p>
 * Metadata are set by a descriptor of what was made (O_PATH), after a look that it is that: a name could be another
 * file's by then.
 */
final class NodeCopier {

    private static final int TRIES = 8;

    /** How it ended. */
    enum Outcome {
        /** It stands. */
        DONE,
        /** It stands in the place of another file. */
        REPLACED,
        /** What was there stays, as the options say. */
        SKIPPED,
        /** The destination allows no link there. */
        IMPOSSIBLE,
        /** What stands there is no file to be replaced: data are to be written to it. */
        THROUGH
    }

    private final CopyRun run;
    private final FileAccess access;
    private final FileSystemCalls calls;
    private final MetadataWriter metadata;
    private final Placer placer;
    private final ExistingTarget existing;
    private final NameCollisions collisions;
    private final MemorySegment procPath = Arena.ofAuto().allocate(32);
    private final MemorySegment leaderName = Arena.ofAuto().allocate(4096);
    private final MemorySegment linkTarget = Arena.ofAuto().allocate(4096);

    NodeCopier(CopyRun run, FileAccess access, MetadataWriter metadata, Placer placer, NameCollisions collisions) {
        this.run = run;
        this.access = access;
        this.calls = access.calls();
        this.metadata = metadata;
        this.placer = placer;
        this.existing = new ExistingTarget(run.options());
        this.collisions = collisions;
    }

    /** Makes a hard link to a copy that stands. */
    Outcome link(HardLinks.Place leader, CopyTask task, FileStatus source, int directory, MemorySegment name)
            throws TargetException {
        int leaderDirectory;
        try {
            leaderDirectory = leader.directory().handle().acquire(access);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
        try {
            FileAccess.put(leaderName, leader.name());
            Outcome outcome = linkOnce(leaderDirectory, task, source, directory, name);
            for (int tries = 1; outcome == Outcome.REPLACED && tries < TRIES; tries++) {
                // Another run of the same copy may have replaced the leader in between, and have looked at this name before.
                outcome = linkOnce(leaderDirectory, task, source, directory, name);
            }
            return outcome == Outcome.REPLACED ? Outcome.DONE : outcome;
        } finally {
            leader.directory().handle().release();
        }
    }

    private Outcome linkOnce(int leaderDirectory, CopyTask task, FileStatus source, int directory, MemorySegment name)
            throws TargetException {
        int result = linkLeader(leaderDirectory, directory, name);
        if (result != -Errno.EEXIST) {
            return linked(result);
        }
        FileStatus there = status(directory, name);
        FileStatus led = status(leaderDirectory, leaderName);
        if (there != null && led != null && there.isSameFile(led)) {
            return Outcome.DONE;
        }
        if (there != null) {
            collisions.check(task.sourceDirectory(), task.target(), directory, task.targetName());
            switch (existing.decide(source, there, task.path().isRoot())) {
                case SKIP -> {
                    return Outcome.SKIPPED;
                }
                case THROUGH -> {
                    if (there.kind() != EntryKind.REGULAR) {
                        return Outcome.THROUGH;
                    }
                }
                case REPLACE -> {
                }
            }
        }
        return replaced(leaderDirectory, directory, name);
    }

    // The kernel answers ENOENT when the leader is replaced between its look at the name and the link.
    private int linkLeader(int leaderDirectory, int directory, MemorySegment name) {
        int result = -Errno.ENOENT;
        for (int i = 0; i < TRIES && result == -Errno.ENOENT; i++) {
            result = calls.linkat(leaderDirectory, leaderName, directory, name, 0);
        }
        return result;
    }

    private Outcome replaced(int leaderDirectory, int directory, MemorySegment name) throws TargetException {
        try {
            placer.replaceBy(directory, name, true, temporary -> linkLeader(leaderDirectory, directory, temporary));
            return Outcome.REPLACED;
        } catch (TargetException e) {
            // Where the room for names is what is short, the rename to a longer one may be what fails.
            if (e.call().operation().equals("link") || e.call().errno() == Errno.EMLINK) {
                return linked(-e.call().errno());
            }
            throw e;
        }
    }

    private static Outcome linked(int result) throws TargetException {
        return switch (-result) {
            case Errno.EMLINK, Errno.EPERM, Errno.EOPNOTSUPP, Errno.EXDEV -> Outcome.IMPOSSIBLE;
            default -> {
                TargetException.check("link", result);
                yield Outcome.DONE;
            }
        };
    }

    /** Makes a symbolic link, FIFO, socket or device like the source. */
    Outcome copy(CopyTask task, FileStatus source, int sourceDirectory, MemorySegment sourceName, int directory,
            MemorySegment name) throws SystemCallException, TargetException {
        Placer.Maker maker = maker(source, sourceDirectory, sourceName, directory);
        // Of a followed link's target there is no descriptor that attributes could be read from.
        SortedMap<ByteString, ByteString> attributes = task.isFollowed()
                ? new TreeMap<>()
                : attributes(source, sourceDirectory, sourceName);
        for (int tries = 1;; tries++) {
            int made = maker.make(name);
            if (made == -Errno.EEXIST) {
                FileStatus there = status(directory, name);
                if (there == null && tries < TRIES) {
                    continue;
                }
                if (there != null) {
                    collisions.check(task.sourceDirectory(), task.target(), directory, task.targetName());
                    if (existing.decide(source, there, task.path().isRoot()) == ExistingTarget.Decision.SKIP) {
                        return Outcome.SKIPPED;
                    }
                    placer.replaceBy(directory, name, false, maker);
                    made = 0;
                }
            }
            TargetException.check(source.kind() == EntryKind.SYMLINK ? "symlink" : "mknod", made);
            SystemCallException problem = carry(task, source, attributes, directory, name);
            if (problem != null) {
                run.targetFailed(task.rootIndex(), task.path(), problem);
            }
            return Outcome.DONE;
        }
    }

    private Placer.Maker maker(FileStatus source, int sourceDirectory, MemorySegment sourceName, int directory)
            throws SystemCallException {
        if (source.kind() == EntryKind.SYMLINK) {
            FileAccess.put(linkTarget, access.linkTarget(sourceDirectory, sourceName));
            return made -> calls.symlinkat(linkTarget, directory, made);
        }
        int mode = source.kind().typeBits() | source.permissions() & 0700;
        return made -> calls.mknodat(directory, made, mode, source.specialDevice());
    }

    private SortedMap<ByteString, ByteString> attributes(FileStatus source, int directory, MemorySegment name)
            throws SystemCallException {
        // A symbolic link can have no attributes of users and no ACL; the call is saved unless trusted ones are wanted.
        boolean none = metadata.policy().isEmpty()
                || source.kind() == EntryKind.SYMLINK && !metadata.policy().trusted();
        return none ? new TreeMap<>() : ExtendedAttributes.read(access, directory, name, metadata.policy());
    }

    private @Nullable SystemCallException carry(CopyTask task, FileStatus source,
            SortedMap<ByteString, ByteString> attributes, int directory, MemorySegment name) {
        int node = access.tryOpen(directory, name, O_PATH | O_NOFOLLOW, 0);
        if (node < 0) {
            return new SystemCallException("open", -node);
        }
        try {
            FileStatus made = access.status(node);
            if (made.kind() != source.kind() || made.specialDevice() != source.specialDevice()) {
                // Somebody has put another file under the name meanwhile; it is not ours to change.
                return new SystemCallException("open", Errno.ESTALE);
            }
            carry(source, made, attributes, node, directory, name, task.target().hasDefaultAcl());
            return null;
        } catch (SystemCallException e) {
            return e;
        } finally {
            access.closeQuietly(node);
        }
    }

    private void carry(FileStatus source, FileStatus made, SortedMap<ByteString, ByteString> attributes, int node,
            int directory, MemorySegment name, boolean hasDefaultAcl) throws SystemCallException {
        boolean ownerStays = source.uid() == made.uid();
        boolean groupStays = source.gid() == made.gid();
        if (run.preserves(Preserve.OWNERSHIP) && !(ownerStays && groupStays)) {
            int changed = chown(node, (int) source.uid(), (int) source.gid());
            if (changed == 0) {
                ownerStays = true;
                groupStays = true;
            } else {
                metadata.ownerNotKept(changed);
                groupStays = groupStays || chown(node, -1, (int) source.gid()) == 0;
            }
        }
        if (source.kind() != EntryKind.SYMLINK) {
            int wanted = run.preserves(Preserve.MODE)
                    ? source.permissions() & ~(ownerStays ? 0 : S_ISUID) & ~(groupStays ? 0 : S_ISGID)
                    : source.permissions() & 0777 & ~run.process().umask();
            if (hasDefaultAcl && run.preserves(Preserve.ACL)) {
                ExtendedAttributes.remove(access, directory, name, ExtendedAttributes.ACL_ACCESS);
            }
            procPath.setString(0, "/proc/self/fd/" + node, StandardCharsets.US_ASCII);
            FileAccess.check("fchmod", calls.fchmodat(AT_FDCWD, procPath, wanted));
        }
        // After the mode, which would change the mask of an ACL.
        for (Map.Entry<ByteString, ByteString> attribute : attributes.entrySet()) {
            try {
                ExtendedAttributes.set(access, directory, name, attribute.getKey(), attribute.getValue());
            } catch (SystemCallException e) {
                metadata.attributeNotKept(attribute.getKey(), e);
            }
        }
        if (run.preserves(Preserve.TIMESTAMPS)) {
            int set = calls.utimensat(node, FileAccess.emptyName(), access.times(source), AT_EMPTY_PATH);
            if (set == -Errno.EINVAL) {
                // Before Linux 5.8 the call takes no empty path.
                set = calls.utimensat(directory, name, access.times(source), AT_SYMLINK_NOFOLLOW);
            }
            FileAccess.check("utimensat", set);
        }
    }

    private int chown(int node, int uid, int gid) {
        return calls.fchownat(node, FileAccess.emptyName(), uid, gid, AT_EMPTY_PATH);
    }

    private @Nullable FileStatus status(int directory, MemorySegment name) throws TargetException {
        try {
            return access.status(directory, name);
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw new TargetException(e);
        }
    }
}
