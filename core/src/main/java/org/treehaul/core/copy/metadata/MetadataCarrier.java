// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.metadata;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.S_ISGID;
import static org.treehaul.core.fs.LinuxConstants.S_ISUID;

import java.util.Map;
import java.util.SortedMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Applies metadata to one file, and continues after an error. At no moment may another user have more access to the
 * file than both before and after: an ACL is set in one call with the mode bits, whose group bits are its mask, and a
 * file that others can reach already is made inaccessible to them while its owner changes or an ACL is removed.
 *
 * <p>
 * Not safe for several threads.
 */
final class MetadataCarrier {

    /** A mode that is unknown, or must not be set. */
    static final int UNKNOWN = -1;

    private static final int OWNER = 0700;
    private static final int OWNER_WRITES = 0200;
    private static final int PERMISSIONS = 0777;
    private static final int SPECIAL = 07000;
    private static final ByteString CAPABILITY = ByteString.of("security.capability");

    /**
     * The state of the file before the metadata is applied.
     *
     * @param uid its owner, if known
     * @param gid its group, if known
     * @param permissions its mode, or 0 if it is unknown and has no set-id or sticky bits
     * @param isExact whether that is still its mode
     * @param mayHaveAcl whether it may have an access ACL
     * @param isShared whether it existed before this copy, so that others may have access to it
     */
    record Before(long uid, long gid, int permissions, boolean isExact, boolean mayHaveAcl, boolean isShared) {

        int mode() {
            return isExact ? permissions : UNKNOWN;
        }
    }

    private final MetadataSettings settings;
    private final FileAccess access;
    private final MetadataWriter metadata;
    private final int target;
    private final boolean isNode;
    // The mode of a file that its owner may not write; UNKNOWN if it is another one, or was changed.
    private int shutMode = UNKNOWN;
    private boolean isOpened;
    private @Nullable SystemCallException error;

    /**
     * Creates a carrier for a file.
     *
     * @param isNode whether the descriptor was opened with O_PATH
     */
    MetadataCarrier(MetadataSettings settings, FileAccess access, MetadataWriter metadata, int target, boolean isNode) {
        this.settings = settings;
        this.access = access;
        this.metadata = metadata;
        this.target = target;
        this.isNode = isNode;
    }

    /** Returns the first error, or null. */
    @Nullable SystemCallException error() {
        return error;
    }

    /** Records an error, unless there was one already. */
    void failed(SystemCallException e) {
        if (error == null) {
            error = e;
        }
    }

    /**
     * Copies attributes, owner, ACLs and mode.
     *
     * @param plainMode the mode for the file if modes are not preserved, or {@link #UNKNOWN}
     */
    void ownerAndMode(FileStatus source, SortedMap<ByteString, ByteString> attributes, Before before, int plainMode) {
        ByteString acl = attributes.get(ExtendedAttributes.ACL_ACCESS);
        if (settings.options().expectation().isPresent() && before.isShared() && !isNode) {
            shutMode = (before.permissions() & OWNER_WRITES) == 0 ? before.mode() : UNKNOWN;
            removeOthers(attributes);
        }
        setAttributes(attributes, name -> !isAcl(name) && !name.equals(CAPABILITY));
        int currentMode = isOpened ? UNKNOWN : before.mode();
        boolean ownerStays = source.uid() == before.uid();
        boolean groupStays = source.gid() == before.gid();
        boolean changesOwner = settings.preserves(Preserve.OWNERSHIP) && !(ownerStays && groupStays);
        boolean losesAcl = acl == null && settings.preserves(Preserve.ACL) && before.mayHaveAcl()
                && source.kind() != EntryKind.SYMLINK && (!before.isShared() || hasAcl());
        boolean setsAccess = settings.preserves(Preserve.MODE) || settings.preserves(Preserve.ACL);
        // A symbolic link has neither a mode nor an ACL.
        boolean isShut = before.isShared() && source.kind() != EntryKind.SYMLINK
                && (losesAcl || changesOwner && setsAccess);
        if (isShut) {
            // Without its ACL, a file's group gets the permissions of the mask, and a new group those of the old one.
            int both = settings.preserves(Preserve.MODE) ? source.permissions() : OWNER;
            chmod(before.permissions() & both & OWNER);
            currentMode = UNKNOWN;
        }
        if (changesOwner) {
            // Changing the owner drops set-id bits and capabilities.
            currentMode = UNKNOWN;
            int changed = chown((int) source.uid(), (int) source.gid());
            if (changed == 0) {
                ownerStays = true;
                groupStays = true;
            } else {
                groupStays = groupStays || chown(-1, (int) source.gid()) == 0;
                attempt(() -> metadata.ownerNotKept(changed));
            }
        }
        setAttributes(attributes, CAPABILITY::equals);
        if (source.kind() == EntryKind.SYMLINK) {
            return;
        }
        int wanted = settings.preserves(Preserve.MODE) ? keptMode(source, ownerStays, groupStays) : plainMode;
        if (isShut && wanted == UNKNOWN) {
            wanted = before.permissions() & PERMISSIONS;
        } else if (isOpened && wanted == UNKNOWN) {
            wanted = before.permissions();
        }
        if (acl != null) {
            if (set(ExtendedAttributes.ACL_ACCESS, acl)) {
                int special = wanted == UNKNOWN ? 0 : wanted & SPECIAL;
                if ((special | before.permissions() & SPECIAL) != 0) {
                    chmod(special | AclBits.mode(acl));
                }
                wanted = UNKNOWN;
            } else if (wanted != UNKNOWN) {
                // Without the ACL, the mode's group bits must not grant the group permissions that are only the mask of
                // the ACL.
                wanted = wanted & ~PERMISSIONS | wanted & AclBits.withoutMask(acl);
            }
        } else if (losesAcl) {
            removeAcl(ExtendedAttributes.ACL_ACCESS);
        }
        if (wanted != UNKNOWN && wanted != currentMode) {
            chmod(wanted);
        }
        setAttributes(attributes, ExtendedAttributes.ACL_DEFAULT::equals);
    }

    private static int keptMode(FileStatus source, boolean ownerStays, boolean groupStays) {
        int kept = source.permissions();
        if (!ownerStays) {
            kept &= ~S_ISUID;
        }
        if (!groupStays && source.kind() != EntryKind.DIRECTORY) {
            kept &= ~S_ISGID;
        }
        return kept;
    }

    // The attributes of an O_PATH descriptor cannot be read.
    private boolean hasAcl() {
        if (isNode) {
            return true;
        }
        try {
            return ExtendedAttributes.get(access, target, ExtendedAttributes.ACL_ACCESS).isPresent();
        } catch (SystemCallException e) {
            failed(e);
            return true;
        }
    }

    // A copy only adds attributes, as cp does. A change of attributes alone leaves those of the source, as rsync does.
    private void removeOthers(SortedMap<ByteString, ByteString> attributes) {
        attempt(() -> {
            for (ByteString name : ExtendedAttributes.list(access, target, metadata.policy())) {
                if (!isAcl(name) && !attributes.containsKey(name)) {
                    removeOther(name);
                }
            }
        });
    }

    private void removeOther(ByteString name) throws SystemCallException {
        try {
            ExtendedAttributes.remove(access, target, name);
        } catch (SystemCallException e) {
            if (!open(e)) {
                throw e;
            }
            ExtendedAttributes.remove(access, target, name);
        }
    }

    // Its owner may change the attributes of a file only with permission to write, which a mode such as 0444 denies.
    private boolean open(SystemCallException e) {
        int mode = shutMode;
        shutMode = UNKNOWN;
        boolean opens = e.errno() == Errno.EACCES && mode != UNKNOWN
                && access.calls().fchmod(target, mode | OWNER_WRITES) == 0;
        isOpened |= opens;
        return opens;
    }

    private void setAttributes(SortedMap<ByteString, ByteString> attributes, Predicate<ByteString> which) {
        if (attributes.isEmpty()) {
            return;
        }
        for (Map.Entry<ByteString, ByteString> attribute : attributes.entrySet()) {
            if (which.test(attribute.getKey())) {
                set(attribute.getKey(), attribute.getValue());
            }
        }
    }

    // Returns whether the attribute was set; a failure is not always an error.
    private boolean set(ByteString name, ByteString value) {
        try {
            if (isNode) {
                ExtendedAttributes.setAtNode(access, target, name, value);
            } else {
                ExtendedAttributes.set(access, target, name, value);
            }
            return true;
        } catch (SystemCallException e) {
            if (open(e)) {
                return set(name, value);
            }
            attempt(() -> metadata.attributeNotKept(name, e));
            return false;
        }
    }

    /** Removes an ACL if there is one. */
    void removeAcl(ByteString name) {
        attempt(() -> {
            if (isNode) {
                ExtendedAttributes.removeAtNode(access, target, name);
            } else {
                ExtendedAttributes.remove(access, target, name);
            }
        });
    }

    private void chmod(int mode) {
        attempt(() -> {
            int answer = tryChmod(mode);
            if (answer == -Errno.EPERM && settings.isMove() && (mode & SPECIAL) != 0) {
                // FAT and exFAT refuse them.
                settings.notices()
                        .accept("set-id and sticky bits are not preserved everywhere: " + Errno.describe(Errno.EPERM));
                answer = tryChmod(mode & ~SPECIAL);
            }
            FileAccess.check("fchmod", answer);
        });
    }

    private int tryChmod(int mode) {
        return isNode
                ? access.calls().fchmodat(AT_FDCWD, access.procPath(target), mode)
                : access.calls().fchmod(target, mode);
    }

    /** Sets owner and group as far as this user may; returns 0 or {@code -errno}. */
    int chown(int uid, int gid) {
        return access.calls().fchownat(target, FileAccess.emptyName(), uid, gid, AT_EMPTY_PATH);
    }

    /** Sets the times unless an earlier step failed; returns the first error, or null. */
    @Nullable SystemCallException times(FileStatus source) {
        if (error == null && settings.preserves(Preserve.TIMESTAMPS)) {
            attempt(() -> FileAccess.check("utimensat", access.calls().futimens(target, access.times(source))));
        }
        return error;
    }

    private void attempt(Step step) {
        try {
            step.run();
        } catch (SystemCallException e) {
            failed(e);
        }
    }

    static boolean isAcl(ByteString name) {
        return name.equals(ExtendedAttributes.ACL_ACCESS) || name.equals(ExtendedAttributes.ACL_DEFAULT);
    }

    private interface Step {
        void run() throws SystemCallException;
    }
}
