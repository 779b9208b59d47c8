// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * Finds where the data of files are. It asks the provider for the type of the file's file system, which it looks up
 * once for each device; files of any other type have no layout. Any number of threads may share one object. Programs
 * that run for long make a new one for each tree, because devices may be mounted anew.
 */
public final class Locality {

    private final FileSystemCalls calls;
    private final Supplier<String> mounts;
    private final Map<Long, Optional<LocalityProvider>> byDevice = new ConcurrentHashMap<>();
    private volatile @Nullable List<LocalityProvider> providers;

    /**
     * Creates an object.
     *
     * @param providers the providers, the first that accepts a type first; null for those that are found
     * @param mounts reads /proc/self/mountinfo
     */
    Locality(FileSystemCalls calls, @Nullable List<LocalityProvider> providers, Supplier<String> mounts) {
        this.calls = calls;
        this.providers = providers;
        this.mounts = mounts;
    }

    /**
     * Creates an object with the providers of TreeHaul and those of other jars.
     *
     * @param calls the calls by which {@link #layout(ByteString)} reads attributes
     */
    public static Locality over(FileSystemCalls calls) {
        return new Locality(calls, null, MountTypes::read);
    }

    /**
     * Returns the layout of a file; empty if it is not a regular file, or its file system does not say.
     *
     * @param path the path; a symbolic link at its end is not followed
     * @throws LayoutException if the layout is malformed, or a provider of another jar fails
     * @throws SystemCallException if a call failed
     */
    public Optional<DataLayout> layout(ByteString path) throws LayoutException, SystemCallException {
        try (FileAccess access = FileAccess.open(calls)) {
            MemorySegment name = access.rootName(path.toBytes());
            return layout(access, AT_FDCWD, name, access.status(AT_FDCWD, name), false);
        }
    }

    /**
     * Returns the layout of a file below an open directory, as {@link #layout(ByteString)} does. Overwrites
     * {@link FileAccess#buffer()}.
     *
     * @param name the name, NUL-ended
     * @param status the status of the file
     * @param isFollowed whether the name is of a symbolic link and the file its target
     */
    @Internal
    public Optional<DataLayout> layout(FileAccess access, int directory, MemorySegment name, FileStatus status,
            boolean isFollowed) throws LayoutException, SystemCallException {
        if (status.kind() != EntryKind.REGULAR) {
            return Optional.empty();
        }
        Optional<LocalityProvider> provider = provider(access, directory, name, status, isFollowed);
        if (provider.isEmpty()) {
            return Optional.empty();
        }
        if (!isFollowed) {
            return layout(provider.get(), new NamedFile(access, directory, name, status, false, mounts));
        }
        // Attributes are read by name only of the link itself.
        int descriptor = access.tryOpen(directory, name, O_RDONLY | O_NONBLOCK, 0);
        if (descriptor == -Errno.EACCES || descriptor == -Errno.EPERM) {
            return Optional.empty();
        }
        FileAccess.check("open", descriptor);
        try {
            return layout(provider.get(), new NamedFile(access, descriptor, name, status, true, mounts));
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    private static Optional<DataLayout> layout(LocalityProvider provider, LayoutFile file)
            throws LayoutException, SystemCallException {
        try {
            return provider.layout(file);
        } catch (RuntimeException | LinkageError e) {
            throw new LayoutException("provider " + provider.getClass().getName() + ": " + e);
        }
    }

    /**
     * Returns whether files on the device of an entry may have layouts: there is a provider for its file system.
     * Without it {@link #layout} makes no system call for any other file of the device.
     *
     * @param name the name of the entry, NUL-ended
     * @param status the status of the entry
     * @param isFollowed whether the name is of a symbolic link and the status that of its target
     */
    @Internal
    public boolean mayTell(FileAccess access, int directory, MemorySegment name, FileStatus status, boolean isFollowed)
            throws LayoutException, SystemCallException {
        return provider(access, directory, name, status, isFollowed).isPresent();
    }

    private Optional<LocalityProvider> provider(FileAccess access, int directory, MemorySegment name, FileStatus status,
            boolean isFollowed) throws LayoutException, SystemCallException {
        Optional<LocalityProvider> known = byDevice.get(status.device());
        if (known != null) {
            return known;
        }
        FileSystemType type = type(access, directory, name, status.device(), isFollowed);
        Optional<LocalityProvider> found = Optional.empty();
        for (LocalityProvider provider : providers()) {
            if (found.isEmpty() && isFor(provider, type)) {
                found = Optional.of(provider);
            }
        }
        byDevice.put(status.device(), found);
        return found;
    }

    private static boolean isFor(LocalityProvider provider, FileSystemType type) throws LayoutException {
        try {
            return provider.isFor(type);
        } catch (RuntimeException | LinkageError e) {
            throw new LayoutException("provider " + provider.getClass().getName() + ": " + e);
        }
    }

    private FileSystemType type(FileAccess access, int directory, MemorySegment name, long device, boolean isFollowed)
            throws SystemCallException {
        int descriptor = access.open(directory, name, O_PATH | (isFollowed ? 0 : O_NOFOLLOW), 0);
        try {
            return new FileSystemType(access.fileSystemType(descriptor), MountTypes.of(device, mounts.get()));
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    // Only a walk that asks for layouts searches the class path.
    private List<LocalityProvider> providers() throws LayoutException {
        List<LocalityProvider> known = providers;
        if (known == null) {
            known = LocalityProviders.all();
            providers = known;
        }
        return known;
    }
}
