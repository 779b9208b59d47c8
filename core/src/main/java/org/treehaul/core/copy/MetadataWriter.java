// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.S_ISGID;
import static org.treehaul.core.fs.LinuxConstants.S_ISVTX;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.MetadataCarrier.Before;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.AttributePolicy;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Carries metadata over to what was copied, in the order that keeps it safe: attributes while the file is private, then
 * the owner (which drops set-id bits and capabilities), then capabilities, mode and ACL, and the times at the very end,
 * only when all before went well.
 *
 * <p>
 * Used by one thread.
 */
final class MetadataWriter {

    private static final int CAP_CHOWN = 0;
    private static final int PERMISSIONS = 0777;
    private static final int OWNER = 0700;
    private static final int GROUP = 0070;
    private static final int OTHERS_WRITE = 0022;
    private static final int UNKNOWN = MetadataCarrier.UNKNOWN;

    private final CopyRun run;
    private final FileAccess access;
    private final AttributePolicy policy;
    private final int processUmask;
    private final int umask;

    MetadataWriter(CopyRun run, FileAccess access) {
        this.run = run;
        this.access = access;
        this.policy = new AttributePolicy(run.preserves(Preserve.XATTR), run.preserves(Preserve.ACL),
                run.requires(Preserve.XATTR));
        this.processUmask = run.process().umask();
        this.umask = run.umask();
    }

    /** Reads the attributes of a source that are to be carried over. Overwrites the access's buffer. */
    SortedMap<ByteString, ByteString> attributesOf(int source, FileStatus status) throws SystemCallException {
        return policy.isEmpty()
                ? Collections.emptySortedMap()
                : ExtendedAttributes.read(access, source, status, policy, run.aclListing());
    }

    AttributePolicy policy() {
        return policy;
    }

    /**
     * Returns the mode to make a new file with: private where something must happen to it before others may see it,
     * else what it is to have, so that no further call is needed.
     */
    int creationMode(FileStatus source, TargetDirectory directory, Map<ByteString, ByteString> attributes) {
        boolean isPrivate = !attributes.isEmpty() || needsOwner(source, directory)
                || directory.mayGiveAcl() && run.preserves(Preserve.ACL);
        int open = permissions(source) & PERMISSIONS;
        // A default ACL stands in the place of any umask.
        boolean isOtherUmask = umask != processUmask && directory.defaultAcl() == null;
        return isPrivate ? 0600 : isOtherUmask ? open & ~umask : open;
    }

    /**
     * Returns the mode to make a directory with: private where the source's owner, mode or ACL is to say who may use
     * it. Else what it is to have, but for what its owner needs meanwhile: a copy that is stopped leaves it so, and the
     * next takes it for one that was there.
     */
    int creationMode(FileStatus source) {
        boolean isPrivate = run.preserves(Preserve.MODE) || run.preserves(Preserve.OWNERSHIP)
                || run.preserves(Preserve.ACL);
        return isPrivate ? OWNER : plainMode(source) | OWNER;
    }

    // Those of the source, or where these are not wanted those that any program makes a file with.
    private int permissions(FileStatus source) {
        if (!run.options().newModes() || run.preserves(Preserve.MODE)) {
            return source.permissions();
        }
        return source.kind() == EntryKind.DIRECTORY || source.kind() == EntryKind.SOCKET ? 0777 : 0666;
    }

    private int plainMode(FileStatus directory) {
        return permissions(directory) & (PERMISSIONS | S_ISVTX) & ~umask;
    }

    private boolean needsOwner(FileStatus source, TargetDirectory directory) {
        return run.preserves(Preserve.OWNERSHIP) && directory.givesOtherOwner(source);
    }

    /**
     * Carries everything over to a new regular file. An error does not keep the rest from being carried over, but for
     * the times.
     *
     * @param creationMode what {@link #creationMode} returned for it
     * @return the first error, or null
     */
    @Nullable SystemCallException toNewFile(int target, FileStatus source, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, int creationMode) {
        MetadataCarrier carrier = carrier(target);
        int current = creationMode & ~processUmask;
        if (directory.defaultAcl() != null) {
            current = AclBits.inherited(directory.defaultAcl(), creationMode);
        }
        boolean isExact = directory.defaultAcl() != null || !directory.mayGiveAcl();
        carrier.ownerAndMode(source, attributes, new Before(directory.newFileUid(), directory.newFileGid(), current,
                isExact, directory.mayGiveAcl(), false), plainMode(source, directory));
        return carrier.times(source);
    }

    // A default ACL stands in the umask's place, unless the source's ACLs are to take its place.
    private int plainMode(FileStatus source, TargetDirectory directory) {
        int permissions = permissions(source) & PERMISSIONS;
        return directory.defaultAcl() == null || run.preserves(Preserve.ACL)
                ? permissions & ~umask
                : AclBits.inherited(directory.defaultAcl(), permissions);
    }

    /**
     * Carries everything over to a symbolic link, FIFO, socket or device, but for the times.
     *
     * @param node open by O_PATH
     * @param there its status
     * @param wasThere whether it was there before this copy
     */
    @Nullable SystemCallException toNode(int node, FileStatus source, FileStatus there, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, boolean wasThere) {
        MetadataCarrier carrier = new MetadataCarrier(run, access, this, node, true);
        carrier.ownerAndMode(
                source, attributes, new Before(there.uid(), there.gid(), there.permissions(), true,
                        wasThere || directory.mayGiveAcl(), wasThere),
                wasThere ? there.permissions() : plainMode(source, directory));
        return carrier.error();
    }

    /**
     * Carries everything over to a file that takes the place of another: where the mode is not preserved, it gets that
     * of the file it replaces, and its ACL, without set-id bits, as if that had been overwritten.
     */
    @Nullable SystemCallException toReplacement(int target, FileCopier.Attempt attempt, FileStatus replaced) {
        TargetDirectory directory = attempt.task().target();
        MetadataCarrier carrier = carrier(target);
        if (!run.preserves(Preserve.OWNERSHIP) && directory.givesOtherOwner(replaced)) {
            // As far as this user may: an ordinary one cannot give files away, and need not be told of it.
            if (carrier.chown((int) replaced.uid(), (int) replaced.gid()) != 0) {
                carrier.chown(-1, (int) replaced.gid());
            }
        }
        Before before = new Before(directory.newFileUid(), directory.newFileGid(), 0, false, directory.mayGiveAcl(),
                false);
        int plain = replaced.permissions() & PERMISSIONS;
        if (run.preserves(Preserve.MODE) || run.preserves(Preserve.ACL)) {
            carrier.ownerAndMode(attempt.status(), attempt.attributes(), before, plain);
        } else {
            likeReplaced(carrier, attempt, before, plain);
        }
        return carrier.times(attempt.status());
    }

    // The ACL of the replaced file is kept as one of the source would be.
    private void likeReplaced(MetadataCarrier carrier, FileCopier.Attempt attempt, Before before, int mode) {
        SortedMap<ByteString, ByteString> attributes = attempt.attributes();
        int plain = mode;
        try {
            Optional<ByteString> acl = ExtendedAttributes.get(access, attempt.targetDirectory(), attempt.targetName(),
                    ExtendedAttributes.ACL_ACCESS);
            if (acl.isPresent()) {
                attributes = new TreeMap<>(attributes);
                attributes.put(ExtendedAttributes.ACL_ACCESS, acl.get());
            } else if (before.mayHaveAcl()) {
                carrier.removeAcl(ExtendedAttributes.ACL_ACCESS);
            }
        } catch (SystemCallException e) {
            carrier.failed(e);
            plain = mode & ~GROUP;
        }
        carrier.ownerAndMode(attempt.status(), attributes, before, plain);
    }

    /** Carries over to a file that was overwritten in place: only what is to be preserved changes. */
    @Nullable SystemCallException toExisting(int target, FileStatus source, SortedMap<ByteString, ByteString> attributes,
            FileStatus existing) {
        MetadataCarrier carrier = carrier(target);
        // Writing to it has dropped set-id bits, or has not: that depends on who writes.
        int known = existing.permissions() > PERMISSIONS ? UNKNOWN : existing.permissions();
        carrier.ownerAndMode(source, attributes,
                new Before(existing.uid(), existing.gid(), existing.permissions(), known != UNKNOWN, true, true),
                known);
        return carrier.times(source);
    }

    /** Carries everything over to a directory whose content is complete. */
    @Nullable SystemCallException toDirectory(int target, FileStatus source, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, boolean withTimes) {
        FileStatus status = directory.status();
        int before = status.permissions();
        int plain = directory.isNew() ? plainDirectoryMode(source, directory) | before & S_ISGID : before;
        MetadataCarrier carrier = carrier(target);
        carrier.ownerAndMode(source, attributes, new Before(status.uid(), status.gid(), before, !directory.isWidened(),
                !directory.isNew(), !directory.isNew()), plain);
        if (directory.defaultAcl() != null && run.preserves(Preserve.ACL)
                && !attributes.containsKey(ExtendedAttributes.ACL_DEFAULT)) {
            carrier.removeAcl(ExtendedAttributes.ACL_DEFAULT);
        }
        return withTimes ? carrier.times(source) : carrier.error();
    }

    // As cp makes directories: without write permission for others, which is given in the end where the umask lets it, even
    // where a default ACL stands in its place.
    private int plainDirectoryMode(FileStatus source, TargetDirectory directory) {
        if (directory.defaultAcl() == null || run.preserves(Preserve.ACL)) {
            return plainMode(source);
        }
        int permissions = permissions(source) & (PERMISSIONS | S_ISVTX);
        return permissions & S_ISVTX | AclBits.inherited(directory.defaultAcl(), permissions & ~OTHERS_WRITE)
                | permissions & OTHERS_WRITE & ~umask;
    }

    private MetadataCarrier carrier(int target) {
        return new MetadataCarrier(run, access, this, target, false);
    }

    /**
     * Takes note that an owner could not be set. An ordinary user cannot give files away: that is told once, unless
     * owners were asked for by name, as cp does it.
     *
     * @param result of the call that failed
     * @throws SystemCallException when it is an error
     */
    void ownerNotKept(int result) throws SystemCallException {
        boolean isForbidden = result == -Errno.EPERM || result == -Errno.EINVAL;
        if (!isForbidden || run.requires(Preserve.OWNERSHIP) || run.process().hasCapability(CAP_CHOWN)) {
            throw new SystemCallException("fchown", -result);
        }
        run.notice("owners are not kept: only root may give files away");
    }

    /**
     * Takes note that an attribute could not be set.
     *
     * @throws SystemCallException when it is an error
     */
    void attributeNotKept(ByteString name, SystemCallException e) throws SystemCallException {
        Preserve what = MetadataCarrier.isAcl(name) ? Preserve.ACL : Preserve.XATTR;
        boolean cannotBe = e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EPERM;
        if (run.requires(what) || !cannotBe) {
            throw e;
        }
        run.notice((what == Preserve.ACL ? "ACLs" : "extended attributes") + " are not kept everywhere: "
                + Errno.describe(e.errno()));
    }
}
