// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.metadata;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.S_ISGID;
import static org.treehaul.core.fs.LinuxConstants.S_ISVTX;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.metadata.MetadataCarrier.Before;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.AttributePolicy;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Copies metadata in a safe order: attributes while the file is private, then the owner (which drops set-id bits and
 * capabilities), then capabilities, mode and ACL, and the times last, only if everything before succeeded.
 *
 * <p>
 * Not safe for several threads.
 */
public final class MetadataWriter {

    private static final int CAP_CHOWN = 0;
    private static final int CAP_SYS_ADMIN = 21; // linux/capability.h
    private static final int PERMISSIONS = 0777;
    private static final int OWNER = 0700;
    private static final int GROUP = 0070;
    private static final int OTHERS_WRITE = 0022;
    private static final int UNKNOWN = MetadataCarrier.UNKNOWN;

    private final MetadataSettings settings;
    private final FileAccess access;
    private final AttributePolicy policy;
    private final int processUmask;
    private final int umask;

    public MetadataWriter(MetadataSettings settings, FileAccess access) {
        this.settings = settings;
        this.access = access;
        this.policy = new AttributePolicy(settings.preserves(Preserve.XATTR), settings.preserves(Preserve.ACL),
                settings.requires(Preserve.XATTR) || isPrivilegedMove(settings));
        this.processUmask = settings.process().umask();
        this.umask = settings.umask();
    }

    // Attributes trusted.* are lost with the sources of a move, unless they are copied. Others do not see them.
    private static boolean isPrivilegedMove(MetadataSettings settings) {
        return settings.isMove() && settings.preserves(Preserve.XATTR)
                && settings.process().hasCapability(CAP_SYS_ADMIN);
    }

    /** Reads the attributes of a source that will be copied. Overwrites the access's buffer. */
    public SortedMap<ByteString, ByteString> attributesOf(int source, FileStatus status) throws SystemCallException {
        return policy.isEmpty()
                ? Collections.emptySortedMap()
                : ExtendedAttributes.read(access, source, status, policy, settings.aclListing());
    }

    public AttributePolicy policy() {
        return policy;
    }

    /**
     * Returns the mode for creating a new file: private if something must happen to it before others may access it,
     * else its final mode, so that no further call is needed.
     */
    public int creationMode(FileStatus source, TargetDirectory directory, Map<ByteString, ByteString> attributes) {
        boolean isPrivate = !attributes.isEmpty() || needsOwner(source, directory)
                || directory.mayGiveAcl() && settings.preserves(Preserve.ACL);
        int open = permissions(source) & PERMISSIONS;
        // A default ACL takes the place of any umask.
        boolean isOtherUmask = umask != processUmask && directory.defaultAcl() == null;
        return isPrivate ? 0600 : isOtherUmask ? open & ~umask : open;
    }

    /**
     * Returns the mode for creating a directory: private if the source's owner, mode or ACL determines access to it.
     * Otherwise its final mode, plus permissions that its owner needs during the copy: a copy that is stopped leaves
     * the directory with this mode, and the next one treats it as an existing directory.
     */
    public int creationMode(FileStatus source) {
        boolean isPrivate = settings.preserves(Preserve.MODE) || settings.preserves(Preserve.OWNERSHIP)
                || settings.preserves(Preserve.ACL);
        return isPrivate ? OWNER : plainMode(source) | OWNER;
    }

    // Returns the permissions of the source or, with the option for new modes, those with which any program creates a
    // file.
    private int permissions(FileStatus source) {
        if (!settings.options().newModes() || settings.preserves(Preserve.MODE)) {
            return source.permissions();
        }
        return source.kind() == EntryKind.DIRECTORY || source.kind() == EntryKind.SOCKET ? 0777 : 0666;
    }

    private int plainMode(FileStatus directory) {
        return permissions(directory) & (PERMISSIONS | S_ISVTX) & ~umask;
    }

    private boolean needsOwner(FileStatus source, TargetDirectory directory) {
        return settings.preserves(Preserve.OWNERSHIP) && directory.givesOtherOwner(source);
    }

    /**
     * Copies all metadata to a new regular file. After an error the rest is still copied, except the times.
     *
     * @param creationMode the result of {@link #creationMode} for it
     * @return the first error, or null
     */
    @Nullable public SystemCallException toNewFile(int target, FileStatus source, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, int creationMode) {
        MetadataCarrier carrier = carrier(target);
        int current = creationMode & ~processUmask;
        if (directory.defaultAcl() != null) {
            current = AclBits.inherited(directory.defaultAcl(), creationMode);
        }
        boolean isExact = (directory.defaultAcl() != null || !directory.mayGiveAcl())
                && (!settings.preserves(Preserve.MODE) || (source.permissions() & PERMISSIONS) != current
                        || isGiven(target, directory, creationMode, current));
        carrier.ownerAndMode(source, attributes, new Before(directory.newFileUid(), directory.newFileGid(), current,
                isExact, directory.mayGiveAcl(), false), plainMode(source, directory));
        return carrier.times(source);
    }

    // A server may give a new file fewer permissions than it is asked for, by its own umask or an ACL that only it
    // knows. One file shows that for all that are created alike in the directory.
    private boolean isGiven(int target, TargetDirectory directory, int creationMode, int expected) {
        if (directory.givesMode(creationMode)) {
            return true;
        }
        try {
            boolean isGiven = settings.fileSystems().isLocal(access, directory.status().device(), target)
                    || access.status(target).permissions() == expected;
            if (isGiven) {
                directory.learnMode(creationMode);
            }
            return isGiven;
        } catch (SystemCallException e) {
            return false;
        }
    }

    // A default ACL takes the umask's place, unless the source's ACLs will replace it.
    private int plainMode(FileStatus source, TargetDirectory directory) {
        int permissions = permissions(source) & PERMISSIONS;
        return directory.defaultAcl() == null || settings.preserves(Preserve.ACL)
                ? permissions & ~umask
                : AclBits.inherited(directory.defaultAcl(), permissions);
    }

    /**
     * Copies all metadata except the times to a symbolic link, FIFO, socket or device.
     *
     * @param node open with O_PATH
     * @param there its status
     * @param wasThere whether it existed before this copy
     */
    @Nullable public SystemCallException toNode(int node, FileStatus source, FileStatus there, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, boolean wasThere) {
        MetadataCarrier carrier = new MetadataCarrier(settings, access, this, node, true);
        carrier.ownerAndMode(
                source, attributes, new Before(there.uid(), there.gid(), there.permissions(), true,
                        wasThere || directory.mayGiveAcl(), wasThere),
                wasThere ? there.permissions() : plainMode(source, directory));
        return carrier.error();
    }

    /**
     * Copies the times to a symbolic link, FIFO, socket or device, after its other metadata.
     *
     * @param node open with O_PATH
     * @param directory descriptor of the directory that contains it
     * @param name its name there
     */
    public void timesOfNode(FileStatus source, int node, int directory, MemorySegment name) throws SystemCallException {
        if (settings.preserves(Preserve.TIMESTAMPS)) {
            int set = access.calls().utimensat(node, FileAccess.emptyName(), access.times(source), AT_EMPTY_PATH);
            if (set == -Errno.EINVAL) {
                // Before Linux 5.8 the call accepts no empty path.
                set = access.calls().utimensat(directory, name, access.times(source), AT_SYMLINK_NOFOLLOW);
            }
            FileAccess.check("utimensat", set);
        }
    }

    /**
     * Copies all metadata to a file that replaces another: if the mode is not preserved, it gets the mode (without
     * set-id bits) and the ACL of the replaced file, as if that had been overwritten.
     *
     * @param parent descriptor of the directory that contains the replaced file
     * @param name name of the replaced file
     */
    @Nullable public SystemCallException toReplacement(int target, FileStatus source, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, FileStatus replaced, int parent, MemorySegment name) {
        MetadataCarrier carrier = carrier(target);
        if (!settings.preserves(Preserve.OWNERSHIP) && directory.givesOtherOwner(replaced)) {
            // As far as this user may: an ordinary user cannot give files away, and need not be notified.
            if (carrier.chown((int) replaced.uid(), (int) replaced.gid()) != 0) {
                carrier.chown(-1, (int) replaced.gid());
            }
        }
        Before before = new Before(directory.newFileUid(), directory.newFileGid(), 0, false, directory.mayGiveAcl(),
                false);
        int plain = replaced.permissions() & PERMISSIONS;
        if (settings.preserves(Preserve.MODE) || settings.preserves(Preserve.ACL)) {
            carrier.ownerAndMode(source, attributes, before, plain);
        } else {
            likeReplaced(carrier, source, attributes, before, plain, parent, name);
        }
        return carrier.times(source);
    }

    // The ACL of the replaced file is set like one of the source.
    private void likeReplaced(MetadataCarrier carrier, FileStatus source, SortedMap<ByteString, ByteString> ofSource,
            Before before, int mode, int parent, MemorySegment name) {
        SortedMap<ByteString, ByteString> attributes = ofSource;
        int plain = mode;
        try {
            Optional<ByteString> acl = ExtendedAttributes.get(access, parent, name, ExtendedAttributes.ACL_ACCESS);
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
        carrier.ownerAndMode(source, attributes, before, plain);
    }

    /** Copies metadata to a file that was overwritten in place: only preserved attributes change. */
    @Nullable public SystemCallException toExisting(int target, FileStatus source, SortedMap<ByteString, ByteString> attributes,
            FileStatus existing) {
        MetadataCarrier carrier = carrier(target);
        // Writing may or may not have dropped set-id bits, depending on the writing user.
        int known = existing.permissions() > PERMISSIONS ? UNKNOWN : existing.permissions();
        carrier.ownerAndMode(source, attributes,
                new Before(existing.uid(), existing.gid(), existing.permissions(), known != UNKNOWN, true, true),
                known);
        return carrier.times(source);
    }

    /** Copies all metadata to a directory whose content is complete. */
    @Nullable public SystemCallException toDirectory(int target, FileStatus source, TargetDirectory directory,
            SortedMap<ByteString, ByteString> attributes, boolean withTimes) {
        FileStatus status = directory.status();
        int before = status.permissions();
        int plain = directory.isNew() ? plainDirectoryMode(source, directory) | before & S_ISGID : before;
        MetadataCarrier carrier = carrier(target);
        carrier.ownerAndMode(source, attributes, new Before(status.uid(), status.gid(), before, !directory.isWidened(),
                !directory.isNew(), !directory.isNew()), plain);
        if (directory.defaultAcl() != null && settings.preserves(Preserve.ACL)
                && !attributes.containsKey(ExtendedAttributes.ACL_DEFAULT)) {
            carrier.removeAcl(ExtendedAttributes.ACL_DEFAULT);
        }
        return withTimes ? carrier.times(source) : carrier.error();
    }

    // As in cp: directories are created without write permission for others; they get it at the end if the umask allows
    // it, even if a default ACL takes the umask's place.
    private int plainDirectoryMode(FileStatus source, TargetDirectory directory) {
        if (directory.defaultAcl() == null || settings.preserves(Preserve.ACL)) {
            return plainMode(source);
        }
        int permissions = permissions(source) & (PERMISSIONS | S_ISVTX);
        return permissions & S_ISVTX | AclBits.inherited(directory.defaultAcl(), permissions & ~OTHERS_WRITE)
                | permissions & OTHERS_WRITE & ~umask;
    }

    private MetadataCarrier carrier(int target) {
        return new MetadataCarrier(settings, access, this, target, false);
    }

    /**
     * Handles an owner that could not be set. An ordinary user cannot give files away, and a move to a file system
     * without owners loses them: that causes a single notice, unless owners were requested by name, as in cp.
     *
     * @param result the result of the failed call
     * @throws SystemCallException if it is an error
     */
    void ownerNotKept(int result) throws SystemCallException {
        boolean isForbidden = result == -Errno.EPERM || result == -Errno.EINVAL;
        boolean mayChange = settings.process().hasCapability(CAP_CHOWN);
        if (!isForbidden || settings.requires(Preserve.OWNERSHIP) || mayChange && !settings.isMove()) {
            throw new SystemCallException("fchown", -result);
        }
        settings.notices()
                .accept(mayChange
                        ? "owners are not preserved everywhere: " + Errno.describe(-result)
                        : "owners are not preserved: only root can change the owner of files");
    }

    /**
     * Handles an attribute that could not be set.
     *
     * @throws SystemCallException if it is an error
     */
    void attributeNotKept(ByteString name, SystemCallException e) throws SystemCallException {
        Preserve what = MetadataCarrier.isAcl(name) ? Preserve.ACL : Preserve.XATTR;
        boolean cannotBe = e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EPERM;
        if (settings.requires(what) || !cannotBe) {
            throw e;
        }
        settings.notices()
                .accept((what == Preserve.ACL ? "ACLs" : "extended attributes") + " are not preserved everywhere: "
                        + Errno.describe(e.errno()));
    }
}
