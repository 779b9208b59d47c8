// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.target.NameCollisions;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.copy.target.TemporarySweeper;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.WalkDirectory;

/**
 * Creates directories on the way down and gives them their metadata after everything below them is done. A directory is
 * private until then if its owner, mode or ACL will come from the source. Not safe for several threads.
 */
@Internal
public final class DirectoryCopier {

    private static final int OWNER = 0700;
    private static final int CAP_DAC_OVERRIDE = 1; // linux/capability.h

    private final CopyContext context;
    private final FileAccess access;
    private final MetadataWriter metadata;
    private final DirectoryMetadata finisher;
    private final TemporarySweeper sweeper;
    private final NameCollisions collisions;
    private final MemorySegment scratch = Arena.ofAuto().allocate(4096);

    DirectoryCopier(CopyContext context, FileAccess access, MetadataWriter metadata, NameCollisions collisions) {
        this.context = context;
        this.access = access;
        this.metadata = metadata;
        this.finisher = new DirectoryMetadata(context, access, metadata);
        this.collisions = collisions;
        this.sweeper = context.sweeper(access);
    }

    /** Returns the directory into which a root is copied. */
    TargetDirectory targetParent(int rootIndex) throws SystemCallException {
        return context.targetRoots().parent(rootIndex, access);
    }

    /** Returns the directory into which a root other than a directory is copied, after sweeping it. */
    TargetDirectory sweptTargetParent(int rootIndex) throws SystemCallException {
        TargetDirectory parent = targetParent(rootIndex);
        if (!context.isBatch() && context.targetRoots().isToSweep(parent)) {
            sweeper.sweep(parent.handle());
        }
        return parent;
    }

    /** Returns the name of a root's copy. */
    ByteString targetName(int rootIndex) {
        return context.targetRoots().name(rootIndex);
    }

    /** Creates the directory at the destination, or enters the existing one. */
    TargetDirectory enter(WalkDirectory<TargetDirectory> source) throws TargetException {
        return enter(new Entering(source.parent(), source.rootIndex(), source.path(), source.status()));
    }

    private TargetDirectory enter(Entering entering) throws TargetException {
        for (int tries = 1;; tries++) {
            try {
                return enterOnce(entering);
            } catch (TargetException e) {
                if (!context.retries().mayRetry(e, tries)) {
                    throw e;
                }
            }
        }
    }

    /** A directory to enter, and the changes by earlier attempts, which later ones cannot see. */
    private static final class Entering {
        private final @Nullable WalkDirectory<TargetDirectory> parent;
        private final int rootIndex;
        private final TreePath path;
        private final FileStatus source;
        private boolean isNew;

        // The status before the directory was widened; null if it could be opened.
        private @Nullable FileStatus shut;

        Entering(@Nullable WalkDirectory<TargetDirectory> parent, int rootIndex, TreePath path, FileStatus source) {
            this.parent = parent;
            this.rootIndex = rootIndex;
            this.path = path;
            this.source = source;
        }
    }

    private TargetDirectory enterOnce(Entering entering) throws TargetException {
        WalkDirectory<TargetDirectory> parent = entering.parent;
        try {
            TargetDirectory above = parent == null ? targetParent(entering.rootIndex) : parent.attachment();
            int descriptor = above.handle().acquire(access);
            try {
                MemorySegment name = FileAccess.put(scratch, name(entering));
                if (make(descriptor, name, metadata.creationMode(entering.source))) {
                    entering.isNew = true;
                    context.directoryCreated();
                }
                boolean isNew = entering.isNew;
                if (!isNew) {
                    collisions.check(parent == null ? null : parent.handle(), above, descriptor, name(entering));
                }
                TargetDirectory entered = open(entering, above, descriptor, name);
                if (!context.isBatch()) {
                    context.widened().entered(entered);
                }
                if (entered.status().isSameFile(entering.source)) {
                    throw new TargetException("copy a directory onto itself", Errno.EINVAL);
                }
                if (parent == null) {
                    context.targetRoots().remember(entered.status());
                }
                if (!isNew && !context.isBatch()) {
                    sweeper.sweep(entered.handle());
                }
                return entered;
            } finally {
                above.handle().release();
            }
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private ByteString name(Entering entering) {
        return entering.parent == null ? targetName(entering.rootIndex) : entering.path.name();
    }

    /**
     * Creates the copy of a directory that cannot be opened, as cp(1) does, if there is none: empty, and without the
     * times. It stays private if the attributes of the source cannot be read, which may have an ACL. Batches leave it
     * to the finishing.
     *
     * @param parent the directory that contains it, null for a root
     * @param directory the descriptor against which its name is resolved
     * @param isFollowed whether the name may be that of a link
     */
    void makeUnopened(@Nullable WalkDirectory<TargetDirectory> parent, int rootIndex, TreePath path, FileStatus source,
            int directory, MemorySegment name, boolean isFollowed) throws TargetException {
        if (context.isBatch() || source.kind() != EntryKind.DIRECTORY || context.targetRoots().isTarget(source)) {
            return;
        }
        Entering entering = new Entering(parent, rootIndex, path, source);
        if (exists(entering)) {
            return;
        }
        SortedMap<ByteString, ByteString> attributes = isFollowed ? null : attributes(source, directory, name);
        TargetDirectory target = enter(entering);
        finisher.finishUnopened(rootIndex, path, attributes == null ? null : source, attributes, () -> {
            target.handle().acquire(access);
            return target;
        });
        target.handle().retire();
    }

    private boolean exists(Entering entering) throws TargetException {
        try {
            TargetDirectory above = entering.parent == null
                    ? targetParent(entering.rootIndex)
                    : entering.parent.attachment();
            int descriptor = above.handle().acquire(access);
            try {
                return access.find(descriptor, FileAccess.put(scratch, name(entering)), false) != null;
            } finally {
                above.handle().release();
            }
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private @Nullable SortedMap<ByteString, ByteString> attributes(FileStatus source, int directory,
            MemorySegment name) {
        try {
            return metadata.policy().isEmpty()
                    ? Collections.emptySortedMap()
                    : ExtendedAttributes.read(access, directory, name, source, metadata.policy(),
                            context.metadata().aclListing());
        } catch (SystemCallException e) {
            return null;
        }
    }

    private boolean make(int directory, MemorySegment name, int mode) throws TargetException {
        int made = access.calls().mkdirat(directory, name, mode);
        if (made == 0) {
            return true;
        }
        if (made != -Errno.EEXIST) {
            TargetException.check("mkdir", made);
        }
        return false;
    }

    private TargetDirectory open(Entering entering, TargetDirectory above, int parent, MemorySegment name)
            throws SystemCallException, TargetException {
        try {
            return open(handle(entering, above, parent, name), above, entering.isNew, entering.shut);
        } catch (TargetException e) {
            FileStatus shut = e.call().errno() == Errno.EACCES ? widenShut(context, access, parent, name) : null;
            if (shut == null) {
                throw e;
            }
            entering.shut = shut;
            return open(handle(entering, above, parent, name), above, entering.isNew, shut);
        }
    }

    private Directory handle(Entering entering, TargetDirectory above, int parent, MemorySegment name)
            throws SystemCallException, TargetException {
        return entering.parent == null
                ? openRoot(entering.rootIndex, parent, name)
                : above.handle().child(entering.path);
    }

    private Directory openRoot(int rootIndex, int parent, MemorySegment name)
            throws SystemCallException, TargetException {
        int descriptor = access.tryOpen(parent, name, O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK, 0);
        if (descriptor == -Errno.ELOOP) {
            descriptor = -Errno.ENOTDIR;
        }
        TargetException.check("replace by a directory", descriptor);
        return context.targetRoots().openRoot(rootIndex, descriptor);
    }

    // The parameter shut is the status that the directory had before it was widened; null if it could be opened.
    private TargetDirectory open(Directory handle, TargetDirectory above, boolean isNew, @Nullable FileStatus shut)
            throws SystemCallException, TargetException {
        FileStatus status;
        try {
            FileStatus opened = handle.open(access);
            status = shut != null && shut.isSameFile(opened) ? shut : opened;
        } catch (SystemCallException e) {
            boolean isOther = e.errno() == Errno.ENOTDIR || e.errno() == Errno.ELOOP;
            throw isOther ? new TargetException("replace by a directory", Errno.ENOTDIR) : new TargetException(e);
        }
        try {
            context.entered(status, handle.descriptor());
            ByteString defaultAcl = isNew
                    ? above.defaultAcl()
                    : TargetDirectory.defaultAcl(access, handle.descriptor());
            boolean mayGiveAcl = above.mayGiveAcl() && context.preserves(Preserve.ACL)
                    && isFar(context, access, status, handle);
            if (isNew && above.mayGiveAcl() && context.preserves(Preserve.ACL)) {
                // The ACLs were inherited from the parent; entries created here must have only the source's ACLs.
                ExtendedAttributes.remove(access, handle.descriptor(), ExtendedAttributes.ACL_DEFAULT);
                ExtendedAttributes.remove(access, handle.descriptor(), ExtendedAttributes.ACL_ACCESS);
                defaultAcl = null;
                status = access.status(handle.descriptor());
            }
            // Applies to a new directory too: a default ACL or a umask may deny the owner the permissions needed here.
            return new TargetDirectory(handle, status, isNew, defaultAcl, mayGiveAcl,
                    shut != null || widen(context, access, handle.descriptor(), status));
        } finally {
            handle.release();
        }
    }

    /**
     * Returns whether a default ACL that was just removed may still apply to new entries: the client of a network file
     * system may cache it, as that of GlusterFS does.
     */
    public static boolean isFar(CopyContext context, FileAccess access, FileStatus status, Directory handle) {
        return !context.fileSystems().isLocal(access, status.device(), handle.descriptor());
    }

    /**
     * Gives the owner of a directory all permissions, and returns whether the owner lacked one. Replacing a file needs
     * write permission for the directory, which a mode such as 0555 denies its owner. The complete directory gets back
     * its own mode, or the source's.
     */
    public static boolean widen(CopyContext context, FileAccess access, int descriptor, FileStatus status)
            throws SystemCallException {
        boolean isToWiden = isToWiden(context, status);
        if (isToWiden) {
            FileAccess.check("fchmod", access.calls().fchmod(descriptor, status.permissions() | OWNER));
        }
        return isToWiden;
    }

    private static boolean isToWiden(CopyContext context, FileStatus status) {
        return (status.permissions() & OWNER) != OWNER && status.uid() == context.process().effectiveUid()
                && !context.process().hasCapability(CAP_DAC_OVERRIDE);
    }

    /**
     * Widens a directory that could not be opened because its mode, a default ACL or the umask denies its owner
     * reading.
     *
     * @return its previous status, or null if it must not be widened
     */
    public static @Nullable FileStatus widenShut(CopyContext context, FileAccess access, int parent, MemorySegment name)
            throws SystemCallException {
        int node = access.open(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
        try {
            FileStatus status = access.status(node);
            if (!isToWiden(context, status)) {
                return null;
            }
            FileAccess.check("fchmod",
                    access.calls().fchmodat(AT_FDCWD, access.procPath(node), status.permissions() | OWNER));
            return status;
        } finally {
            access.closeQuietly(node);
        }
    }

    /** Gives the directory its metadata, unless others may still copy into it. */
    void leave(WalkDirectory<TargetDirectory> source) {
        TargetDirectory target = source.attachment();
        if (context.isBatch()) {
            target.handle().retire();
            return;
        }
        finisher.finish(source.rootIndex(), source.path(), source.status(), source::handle, !source.isIncomplete(),
                () -> {
                    target.handle().acquire(access);
                    return target;
                });
        context.widened().left(target);
        target.handle().retire();
    }
}
