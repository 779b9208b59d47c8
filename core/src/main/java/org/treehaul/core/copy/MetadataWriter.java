// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.S_ISGID;
import static org.treehaul.core.fs.LinuxConstants.S_ISUID;
import static org.treehaul.core.fs.LinuxConstants.S_ISVTX;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
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
    private static final int ACL_GROUP_OBJ = 4; // linux/posix_acl.h
    private static final int UNKNOWN = -1;
    private static final ByteString CAPABILITY = ByteString.of("security.capability");

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
    SortedMap<ByteString, ByteString> attributesOf(int source) throws SystemCallException {
        return policy.isEmpty() ? Collections.emptySortedMap() : ExtendedAttributes.read(access, source, policy);
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
                || directory.hasDefaultAcl() && run.preserves(Preserve.ACL);
        int open = source.permissions() & PERMISSIONS;
        // A default ACL stands in the place of any umask.
        boolean isOtherUmask = umask != processUmask && !directory.hasDefaultAcl();
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

    private int plainMode(FileStatus directory) {
        return directory.permissions() & (PERMISSIONS | S_ISVTX) & ~umask;
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
        boolean hasAcl = directory.hasDefaultAcl();
        int current = hasAcl ? UNKNOWN : creationMode & ~processUmask;
        int permissions = source.permissions() & PERMISSIONS;
        // A default ACL stands in the umask's place, and has given the file what it is to have.
        int plain = hasAcl && creationMode == permissions ? UNKNOWN : permissions & ~umask;
        Carrier carrier = new Carrier(target, directory.newFileUid(), directory.newFileGid());
        carrier.ownerAndMode(source, attributes, current, plain, hasAcl);
        return carrier.times(source);
    }

    /**
     * Carries everything over to a file that takes the place of another: where the mode is not preserved, it gets that
     * of the file it replaces, and its ACL, without set-id bits, as if that had been overwritten.
     */
    @Nullable SystemCallException toReplacement(int target, FileCopier.Attempt attempt, FileStatus replaced) {
        TargetDirectory directory = attempt.task().target();
        if (!run.preserves(Preserve.OWNERSHIP) && directory.givesOtherOwner(replaced)) {
            // As far as this user may: an ordinary one cannot give files away, and need not be told of it.
            if (chown(target, (int) replaced.uid(), (int) replaced.gid()) != 0) {
                chown(target, -1, (int) replaced.gid());
            }
        }
        Carrier carrier = new Carrier(target, directory.newFileUid(), directory.newFileGid());
        int plain = replaced.permissions() & PERMISSIONS;
        if (run.preserves(Preserve.MODE) || run.preserves(Preserve.ACL)) {
            carrier.ownerAndMode(attempt.status(), attempt.attributes(), UNKNOWN, plain, directory.hasDefaultAcl());
        } else {
            carrier.likeReplaced(attempt, plain);
        }
        return carrier.times(attempt.status());
    }

    /** Carries over to a file that was overwritten in place: only what is to be preserved changes. */
    @Nullable SystemCallException toExisting(int target, FileStatus source, SortedMap<ByteString, ByteString> attributes,
            FileStatus existing) {
        Carrier carrier = new Carrier(target, existing.uid(), existing.gid());
        // Writing to it has dropped set-id bits, or has not: that depends on who writes.
        int current = existing.permissions() > PERMISSIONS ? UNKNOWN : existing.permissions();
        int plain = existing.permissions() > PERMISSIONS ? UNKNOWN : existing.permissions();
        carrier.ownerAndMode(source, attributes, current, plain, true);
        return carrier.times(source);
    }

    /** Carries everything over to a directory whose content is complete. */
    @Nullable SystemCallException toDirectory(int target, FileStatus source, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, boolean withTimes) {
        FileStatus status = directory.status();
        int before = status.permissions();
        int plain = directory.isNew() ? plainMode(source) | before & S_ISGID : before;
        Carrier carrier = new Carrier(target, status.uid(), status.gid());
        carrier.ownerAndMode(source, attributes, directory.isWidened() ? UNKNOWN : before, plain, !directory.isNew());
        if (directory.hasDefaultAcl() && run.preserves(Preserve.ACL)
                && !attributes.containsKey(ExtendedAttributes.ACL_DEFAULT)) {
            carrier.removeAcl(ExtendedAttributes.ACL_DEFAULT);
        }
        return withTimes ? carrier.times(source) : carrier.error;
    }

    private int chown(int target, int uid, int gid) {
        return access.calls().fchownat(target, FileAccess.emptyName(), uid, gid, AT_EMPTY_PATH);
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
        Preserve what = isAcl(name) ? Preserve.ACL : Preserve.XATTR;
        boolean cannotBe = e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EPERM;
        if (run.requires(what) || !cannotBe) {
            throw e;
        }
        run.notice((what == Preserve.ACL ? "ACLs" : "extended attributes") + " are not kept everywhere: "
                + Errno.describe(e.errno()));
    }

    private static boolean isAcl(ByteString name) {
        return name.equals(ExtendedAttributes.ACL_ACCESS) || name.equals(ExtendedAttributes.ACL_DEFAULT);
    }

    // The layout of linux/posix_acl_xattr.h: a version of 4 bytes, then entries of 2 bytes tag, 2 permissions and 4 id.
    private static int groupOf(ByteString acl) {
        for (int i = 4; i + 8 <= acl.length(); i += 8) {
            if (acl.at(i) == ACL_GROUP_OBJ) {
                return (acl.at(i + 2) & 7) << 3;
            }
        }
        return 0;
    }

    /** The calls for one file, which go on after an error. */
    private final class Carrier {
        private final int target;
        private final long uid;
        private final long gid;
        private @Nullable SystemCallException error;

        Carrier(int target, long uid, long gid) {
            this.target = target;
            this.uid = uid;
            this.gid = gid;
        }

        void ownerAndMode(FileStatus source, SortedMap<ByteString, ByteString> attributes, int modeBefore,
                int plainMode, boolean mayHaveAcl) {
            setAttributes(attributes, false);
            boolean ownerStays = source.uid() == uid;
            boolean groupStays = source.gid() == gid;
            int currentMode = modeBefore;
            if (run.preserves(Preserve.OWNERSHIP) && !(ownerStays && groupStays)) {
                // This drops set-id bits.
                currentMode = UNKNOWN;
                int changed = chown(target, (int) source.uid(), (int) source.gid());
                if (changed == 0) {
                    ownerStays = true;
                    groupStays = true;
                } else {
                    groupStays = groupStays || chown(target, -1, (int) source.gid()) == 0;
                    attempt(() -> ownerNotKept(changed));
                }
            }
            int wanted = plainMode;
            if (run.preserves(Preserve.MODE)) {
                wanted = source.permissions();
                if (!ownerStays) {
                    wanted &= ~S_ISUID;
                }
                if (!groupStays && source.kind() != EntryKind.DIRECTORY) {
                    wanted &= ~S_ISGID;
                }
            }
            if (mayHaveAcl && run.preserves(Preserve.ACL) && !attributes.containsKey(ExtendedAttributes.ACL_ACCESS)) {
                removeAcl(ExtendedAttributes.ACL_ACCESS);
            }
            if (wanted != UNKNOWN && wanted != currentMode) {
                int mode = wanted;
                attempt(() -> FileAccess.check("fchmod", access.calls().fchmod(target, mode)));
            }
            setAttributes(attributes, true);
        }

        void likeReplaced(FileCopier.Attempt attempt, int mode) {
            ByteString acl = null;
            int plain = mode;
            try {
                acl = ExtendedAttributes
                        .get(access, attempt.targetDirectory(), attempt.targetName(), ExtendedAttributes.ACL_ACCESS)
                        .orElse(null);
                if (acl != null) {
                    // Where there is an ACL the mode tells its mask, which may be more than the group has by it.
                    plain = mode & ~GROUP | groupOf(acl);
                }
            } catch (SystemCallException e) {
                error = e;
                plain = mode & ~GROUP;
            }
            if (acl == null && attempt.task().target().hasDefaultAcl()) {
                removeAcl(ExtendedAttributes.ACL_ACCESS);
            }
            ownerAndMode(attempt.status(), attempt.attributes(), UNKNOWN, plain, false);
            if (acl != null) {
                set(ExtendedAttributes.ACL_ACCESS, acl);
            }
        }

        // Capabilities are lost when the owner changes and ACLs when the mode does, so these two come after.
        private void setAttributes(SortedMap<ByteString, ByteString> attributes, boolean late) {
            for (Map.Entry<ByteString, ByteString> attribute : attributes.entrySet()) {
                ByteString name = attribute.getKey();
                if ((isAcl(name) || name.equals(CAPABILITY)) == late) {
                    set(name, attribute.getValue());
                }
            }
        }

        private void set(ByteString name, ByteString value) {
            attempt(() -> {
                try {
                    ExtendedAttributes.set(access, target, name, value);
                } catch (SystemCallException e) {
                    attributeNotKept(name, e);
                }
            });
        }

        void removeAcl(ByteString name) {
            attempt(() -> ExtendedAttributes.remove(access, target, name));
        }

        @Nullable SystemCallException times(FileStatus source) {
            if (error == null && run.preserves(Preserve.TIMESTAMPS)) {
                attempt(() -> FileAccess.check("utimensat", access.calls().futimens(target, access.times(source))));
            }
            return error;
        }

        private void attempt(Step step) {
            try {
                step.run();
            } catch (SystemCallException e) {
                if (error == null) {
                    error = e;
                }
            }
        }
    }

    private interface Step {
        void run() throws SystemCallException;
    }
}
