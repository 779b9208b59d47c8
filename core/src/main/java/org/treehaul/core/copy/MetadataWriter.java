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
    private static final int UNKNOWN = -1;
    private static final ByteString CAPABILITY = ByteString.of("security.capability");

    private final CopyRun run;
    private final FileAccess access;
    private final AttributePolicy policy;
    private final int umask;

    MetadataWriter(CopyRun run, FileAccess access) {
        this.run = run;
        this.access = access;
        this.policy = new AttributePolicy(run.preserves(Preserve.XATTR), run.preserves(Preserve.ACL),
                run.requires(Preserve.XATTR));
        this.umask = run.process().umask();
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
        return isPrivate ? 0600 : source.permissions() & PERMISSIONS;
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
        int current = directory.hasDefaultAcl() ? UNKNOWN : creationMode & ~umask;
        return carry(target, source, directory, attributes, current, source.permissions() & PERMISSIONS & ~umask);
    }

    /**
     * Carries everything over to a file that takes the place of another: where the mode is not preserved, it gets that
     * of the file it replaces, without set-id bits, as if that had been overwritten.
     */
    @Nullable SystemCallException toReplacement(int target, FileStatus source, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, FileStatus replaced) {
        if (!run.preserves(Preserve.OWNERSHIP) && directory.givesOtherOwner(replaced)) {
            // As far as this user may: an ordinary one cannot give files away, and need not be told of it.
            access.calls()
                    .fchownat(target, FileAccess.emptyName(), (int) replaced.uid(), (int) replaced.gid(),
                            AT_EMPTY_PATH);
        }
        return carry(target, source, directory, attributes, UNKNOWN, replaced.permissions() & PERMISSIONS);
    }

    /** Carries over to a file that was overwritten in place: only what is to be preserved changes. */
    @Nullable SystemCallException toExisting(int target, FileStatus source, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, FileStatus existing) {
        return carry(target, source, directory, attributes, existing.permissions(), existing.permissions());
    }

    /** Carries everything over to a directory whose content is complete. */
    @Nullable SystemCallException toDirectory(int target, FileStatus source, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, boolean withTimes) {
        int current = directory.status().permissions();
        int plain = directory.isNew()
                ? source.permissions() & (PERMISSIONS | S_ISVTX) & ~umask | current & S_ISGID
                : current;
        Carrier carrier = new Carrier(target);
        carrier.ownerAndMode(source, directory, attributes, current, plain);
        if (withTimes) {
            carrier.times(source);
        }
        return carrier.error;
    }

    private @Nullable SystemCallException carry(int target, FileStatus source, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, int currentMode, int plainMode) {
        Carrier carrier = new Carrier(target);
        carrier.ownerAndMode(source, directory, attributes, currentMode, plainMode);
        carrier.times(source);
        return carrier.error;
    }

    /** The calls for one file, which go on after an error. */
    private final class Carrier {
        private final int target;
        private @Nullable SystemCallException error;

        Carrier(int target) {
            this.target = target;
        }

        void ownerAndMode(FileStatus source, TargetDirectory directory, SortedMap<ByteString, ByteString> attributes,
                int currentMode, int plainMode) {
            setAttributes(attributes, false);
            boolean ownerStays = source.uid() == directory.newFileUid();
            boolean groupStays = source.gid() == directory.newFileGid();
            if (needsOwner(source, directory)) {
                ownerStays = setOwner(source);
                groupStays = ownerStays || setGroup(source);
                if (!ownerStays) {
                    ownerNotKept();
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
            boolean inheritedAcl = directory.hasDefaultAcl() && run.preserves(Preserve.ACL)
                    && !attributes.containsKey(ExtendedAttributes.ACL_ACCESS);
            if (inheritedAcl) {
                removeAcl();
            }
            if (wanted != currentMode) {
                note(access.calls().fchmod(target, wanted), "fchmod");
            }
            setAttributes(attributes, true);
        }

        private boolean setOwner(FileStatus source) {
            return chown((int) source.uid(), (int) source.gid()) == 0;
        }

        private boolean setGroup(FileStatus source) {
            return chown(-1, (int) source.gid()) == 0;
        }

        private int chown(int uid, int gid) {
            return access.calls().fchownat(target, FileAccess.emptyName(), uid, gid, AT_EMPTY_PATH);
        }

        // An ordinary user cannot give files away: told once, unless owners were asked for by name, as cp does it.
        private void ownerNotKept() {
            if (run.requires(Preserve.OWNERSHIP) || run.process().hasCapability(CAP_CHOWN)) {
                note(-Errno.EPERM, "fchown");
            } else {
                run.notice("owners are not kept: only root may give files away");
            }
        }

        // Capabilities are lost when the owner changes and ACLs when the mode does, so these two come after.
        private void setAttributes(SortedMap<ByteString, ByteString> attributes, boolean late) {
            for (Map.Entry<ByteString, ByteString> attribute : attributes.entrySet()) {
                ByteString name = attribute.getKey();
                boolean isAcl = name.equals(ExtendedAttributes.ACL_ACCESS)
                        || name.equals(ExtendedAttributes.ACL_DEFAULT);
                if ((isAcl || name.equals(CAPABILITY)) == late) {
                    try {
                        ExtendedAttributes.set(access, target, name, attribute.getValue());
                    } catch (SystemCallException e) {
                        attributeNotKept(isAcl ? Preserve.ACL : Preserve.XATTR, name, e);
                    }
                }
            }
        }

        private void attributeNotKept(Preserve what, ByteString name, SystemCallException e) {
            boolean cannotBe = e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EPERM;
            if (run.requires(what) || !cannotBe) {
                note(-e.errno(), "setxattr");
            } else {
                run.notice((what == Preserve.ACL ? "ACLs are" : "the attribute " + name + " is")
                        + " not kept everywhere: " + Errno.describe(e.errno()));
            }
        }

        private void removeAcl() {
            try {
                ExtendedAttributes.remove(access, target, ExtendedAttributes.ACL_ACCESS);
            } catch (SystemCallException e) {
                note(-e.errno(), e.operation());
            }
        }

        void times(FileStatus source) {
            if (error == null && run.preserves(Preserve.TIMESTAMPS)) {
                note(access.calls().futimens(target, access.times(source)), "utimensat");
            }
        }

        private void note(int result, String operation) {
            if (result < 0 && error == null) {
                error = new SystemCallException(operation, -result);
            }
        }
    }
}
