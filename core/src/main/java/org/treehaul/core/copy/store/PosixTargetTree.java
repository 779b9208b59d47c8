// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.metadata.MetadataSettings;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.copy.target.Placement;
import org.treehaul.core.copy.target.Placer;
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
import org.treehaul.core.storage.EntryMetadata;
import org.treehaul.core.storage.NewFile;
import org.treehaul.core.storage.PosixFile;
import org.treehaul.core.storage.TargetFile;
import org.treehaul.core.storage.TargetTree;

/**
 * A tree of the operating system as the target of a copy between stores. Names and metadata are set by the classes that
 * every copy uses. Not safe for several threads.
 */
final class PosixTargetTree implements TargetTree {

    private final PosixStore store;
    private final FileAccess access;
    private final MetadataSettings settings;
    private final MetadataWriter metadata;
    private final Placer placer;
    private final TemporarySweeper sweeper;
    private final PosixSourceTree look;

    // A directory that this thread made and failed to open: the next try finds it, but it is still a new one.
    private @Nullable TreePath unopened;
    private final MemorySegment scratch = Arena.ofAuto().allocate(FileAccess.NAME_MAX + 1L);

    PosixTargetTree(PosixStore store, FileAccess access, MetadataSettings settings, Placer placer,
            TemporarySweeper sweeper) {
        this.store = store;
        this.access = access;
        this.settings = settings;
        this.metadata = new MetadataWriter(settings, access);
        this.placer = placer;
        this.sweeper = sweeper;
        this.look = new PosixSourceTree(store.root(), access, metadata.policy(), settings.aclListing());
    }

    @Override
    public @Nullable FileStatus find(TreePath entry) throws SystemCallException {
        try {
            return look.status(entry);
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public void makeDirectory(TreePath directory, FileStatus source) throws SystemCallException {
        if (directory.isRoot()) {
            enter(store.root(), null, false);
            return;
        }
        in(directory, (above, descriptor, name) -> {
            int made = access.calls().mkdirat(descriptor, name, metadata.creationMode(source));
            boolean isNew = made != -Errno.EEXIST || Objects.equals(unopened, directory);
            if (made != -Errno.EEXIST) {
                FileAccess.check("mkdir", made);
                unopened = directory;
            }
            enter(above.handle().child(directory), above, isNew);
            unopened = null;
        });
    }

    private void enter(Directory handle, @Nullable TargetDirectory above, boolean isNew) throws SystemCallException {
        FileStatus status = handle.open(access);
        try {
            int descriptor = handle.descriptor();
            boolean mayInherit = above != null && above.mayGiveAcl() && settings.options().preserves(Preserve.ACL);
            if (isNew && mayInherit) {
                // Only the source gives ACLs to it and to the entries that are made in it.
                ExtendedAttributes.remove(access, descriptor, ExtendedAttributes.ACL_DEFAULT);
                ExtendedAttributes.remove(access, descriptor, ExtendedAttributes.ACL_ACCESS);
                status = access.status(descriptor);
            }
            ByteString defaultAcl = isNew && mayInherit ? null : TargetDirectory.defaultAcl(access, descriptor);
            boolean mayGiveAcl = mayInherit && store.isFar(access, status, descriptor);
            store.made(handle.path(), new TargetDirectory(handle, status, isNew, defaultAcl, mayGiveAcl, false));
            if (!isNew) {
                sweeper.sweep(handle);
            }
        } finally {
            handle.release();
        }
    }

    @Override
    public void finishDirectory(TreePath directory, EntryMetadata source) throws SystemCallException {
        TargetDirectory target = store.made(directory);
        int descriptor = target.handle().acquire(access);
        try {
            throwIfAny(metadata.toDirectory(descriptor, source.status(), target, source.attributes(), true));
            syncDirectory(descriptor);
        } finally {
            target.handle().release();
        }
        // After an error the directory remains known, so that finishing it can be repeated.
        store.finished(directory);
        if (!directory.isRoot()) {
            target.handle().retire();
        }
    }

    private void syncDirectory(int descriptor) throws SystemCallException {
        if (settings.options().fsync()) {
            Directory.sync(access, descriptor);
        }
    }

    @Override
    public NewFile create(TreePath file, EntryMetadata source) throws SystemCallException {
        TargetDirectory directory = store.made(file.parent());
        int mode = metadata.creationMode(source.status(), directory, source.attributes());
        int descriptor = directory.handle().acquire(access);
        try {
            return new Begun(directory, descriptor, file.name(), source, placer.temporary(directory, descriptor, mode));
        } catch (TargetException e) {
            directory.handle().release();
            throw e.call();
        }
    }

    /** A file that has no final name yet. Holds its directory. */
    private final class Begun implements NewFile {
        private final TargetDirectory directory;
        private final int descriptor;
        private final ByteString name;
        private final EntryMetadata source;
        private final Placement placement;
        private boolean isClosed;
        private boolean isNamed;

        Begun(TargetDirectory directory, int descriptor, ByteString name, EntryMetadata source, Placement placement) {
            this.directory = directory;
            this.descriptor = descriptor;
            this.name = name;
            this.source = source;
            this.placement = placement;
        }

        @Override
        public TargetFile data() {
            return new PosixFile(access, placement.descriptor());
        }

        @Override
        public void commit() throws SystemCallException {
            try {
                finish();
                place(FileAccess.put(scratch, name));
                syncDirectory(descriptor);
            } catch (TargetException e) {
                throw e.call();
            } finally {
                end();
            }
        }

        private void finish() throws SystemCallException {
            int file = placement.descriptor();
            if (settings.options().preserves(Preserve.OWNERSHIP) && !directory.knowsNewFileOwner()) {
                directory.learn(access.status(file));
            }
            throwIfAny(metadata.toNewFile(file, source.status(), directory, source.attributes(),
                    placement.creationMode()));
        }

        private void place(MemorySegment as) throws SystemCallException, TargetException {
            FileStatus there = ExistingTarget.find(access, descriptor, as);
            boolean replaces = there != null;
            if (there != null) {
                checkReplaceable(there.kind());
                // The rename destroys the replaced file, so the new one must be on disk before.
                FileAccess.check("fsync", access.calls().fsync(placement.descriptor()));
            }
            if (placement.way() == Placement.Way.NAMED) {
                // An error that only close reports is known before the file has its name.
                close();
            }
            if (replaces) {
                placer.replace(placement, descriptor, as);
            } else if (!placer.place(placement, directory, descriptor, as)) {
                throw new SystemCallException("link", Errno.EEXIST);
            }
            isNamed = true;
            try {
                close();
            } catch (SystemCallException e) {
                if (!replaces) {
                    access.calls().unlinkat(descriptor, as, 0);
                }
                throw e;
            }
        }

        // The data belong into a device or FIFO, but they were written beside it.
        private static void checkReplaceable(EntryKind kind) throws TargetException {
            if (kind != EntryKind.REGULAR && kind != EntryKind.SYMLINK && kind != EntryKind.DIRECTORY) {
                throw new TargetException("replace a device, FIFO or socket", Errno.EEXIST);
            }
        }

        private void close() throws SystemCallException {
            if (!isClosed) {
                isClosed = true;
                access.close(placement.descriptor());
            }
        }

        @Override
        public void discard() {
            end();
        }

        private void end() {
            if (!isClosed) {
                isClosed = true;
                access.closeQuietly(placement.descriptor());
            }
            if (!isNamed && placement.way() == Placement.Way.NAMED) {
                placer.unlinkTemporary(placement, descriptor);
            }
            directory.handle().release();
        }
    }

    @Override
    public void makeLink(TreePath link, ByteString target, EntryMetadata source) throws SystemCallException {
        MemorySegment content = access.otherName(target.toBytes());
        make("symlink", link, source, (directory, name) -> access.calls().symlinkat(content, directory, name));
    }

    @Override
    public void makeNode(TreePath node, EntryMetadata source) throws SystemCallException {
        FileStatus status = source.status();
        int mode = status.kind().typeBits() | status.permissions() & 0700;
        make("mknod", node, source,
                (directory, name) -> access.calls().mknodat(directory, name, mode, status.specialDevice()));
    }

    private interface Maker {
        int make(int directory, MemorySegment name);
    }

    private void make(String operation, TreePath path, EntryMetadata source, Maker maker) throws SystemCallException {
        in(path, (directory, descriptor, name) -> {
            int made = maker.make(descriptor, name);
            if (made == -Errno.EEXIST) {
                SystemCallException[] problem = {null};
                placer.replaceBy(descriptor, name, false, temporary -> {
                    int answer = maker.make(descriptor, temporary);
                    if (answer == 0) {
                        problem[0] = carried(source, directory, descriptor, temporary);
                    }
                    return answer;
                });
                throwIfAny(problem[0]);
            } else {
                FileAccess.check(operation, made);
                throwIfAny(carried(source, directory, descriptor, name));
            }
        });
    }

    // Sets the metadata through a descriptor of the new entry, after checking it, because the name could belong to
    // another file by then. Returns the error, or null.
    private @Nullable SystemCallException carried(EntryMetadata source, TargetDirectory directory, int descriptor,
            MemorySegment name) {
        int node = access.tryOpen(descriptor, name, O_PATH | O_NOFOLLOW, 0);
        if (node < 0) {
            return new SystemCallException("open", -node);
        }
        try {
            FileStatus there = access.status(node);
            FileStatus status = source.status();
            if (there.kind() != status.kind() || there.specialDevice() != status.specialDevice()) {
                return new SystemCallException("open", Errno.ESTALE);
            }
            SystemCallException problem = metadata.toNode(node, status, there, directory, source.attributes(), false);
            if (problem == null) {
                metadata.timesOfNode(status, node, descriptor, name);
            }
            return problem;
        } catch (SystemCallException e) {
            return e;
        } finally {
            access.closeQuietly(node);
        }
    }

    private static void throwIfAny(@Nullable SystemCallException problem) throws SystemCallException {
        if (problem != null) {
            throw problem;
        }
    }

    /** A call on a name in a directory that was made. */
    private interface Use {
        void with(TargetDirectory directory, int descriptor, MemorySegment name)
                throws SystemCallException, TargetException;
    }

    private void in(TreePath entry, Use use) throws SystemCallException {
        TargetDirectory directory = store.made(entry.parent());
        int descriptor = directory.handle().acquire(access);
        try {
            use.with(directory, descriptor, FileAccess.put(scratch, entry.name()));
        } catch (TargetException e) {
            throw e.call();
        } finally {
            directory.handle().release();
        }
    }

    @Override
    public void close() {
        access.close();
    }
}
