// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.treehaul.core.copy.data.FileSystemPairs;
import org.treehaul.core.copy.metadata.MetadataSettings;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.target.Placer;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.copy.target.TemporaryNames;
import org.treehaul.core.copy.target.TemporarySweeper;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.AclListing;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.core.storage.TargetTree;

/**
 * A directory of the operating system and everything below it, as one side of a copy between stores. Names are resolved
 * relative to open directories, and below the root no symbolic link is followed. Safe for any number of threads, each
 * of which opens its own tree.
 */
public final class PosixStore implements AutoCloseable {

    private final FileSystemCalls calls;
    private final MetadataSettings metadata;
    private final TemporaryNames temporaries;
    private final DirectoryPool pool;
    private final Directory root;

    // The directories of a target that are made but not finished.
    private final Map<TreePath, TargetDirectory> made = new ConcurrentHashMap<>();

    private PosixStore(FileSystemCalls calls, MetadataSettings metadata, TemporaryNames temporaries, DirectoryPool pool,
            Directory root) {
        this.calls = calls;
        this.metadata = metadata;
        this.temporaries = temporaries;
        this.pool = pool;
        this.root = root;
    }

    /**
     * Opens a store.
     *
     * @param path the directory, which must exist; symbolic links in it are followed
     * @param names the roots of the copy, from which names of temporary files are made
     * @param options determine the metadata to preserve
     * @param notices receives messages for the user
     * @throws IOException if /proc cannot be read; SystemCallException if the directory cannot be opened
     */
    public static PosixStore open(FileSystemCalls calls, ByteString path, CopyPair names, CopyOptions options,
            Consumer<String> notices) throws IOException {
        ProcessStatus process = ProcessStatus.read();
        MetadataSettings metadata = new MetadataSettings(options, process, process.umask(), new AclListing(),
                new FileSystemPairs(), false, notices);
        DirectoryPool pool = DirectoryPool.withinLimit(calls, DirectoryPool.LARGEST_BUDGET);
        try (FileAccess access = FileAccess.open(calls)) {
            return new PosixStore(calls, metadata, TemporaryNames.of(List.of(names)), pool,
                    pool.root(LongPath.open(access, path, O_DIRECTORY | O_NONBLOCK), path));
        }
    }

    /** Opens the tree for reading, for the calling thread. */
    public SourceTree source() {
        FileAccess access = FileAccess.open(calls);
        return new PosixSourceTree(root, access, new MetadataWriter(metadata, access).policy(), metadata.aclListing());
    }

    /** Opens the tree for writing, for the calling thread. */
    public TargetTree target() {
        FileAccess access = FileAccess.open(calls);
        return new PosixTargetTree(this, access, metadata, new Placer(metadata.fileSystems(), temporaries, access),
                new TemporarySweeper(temporaries, metadata.notices(), access));
    }

    /** Returns the root. */
    Directory root() {
        return root;
    }

    /** Returns whether a default ACL that was removed from a directory may still apply to new entries in it. */
    boolean isFar(FileAccess access, FileStatus directory, int descriptor) {
        return !metadata.fileSystems().isLocal(access, directory.device(), descriptor);
    }

    /** Returns a directory of the target that was made and not finished. */
    TargetDirectory made(TreePath directory) throws SystemCallException {
        TargetDirectory known = made.get(directory);
        if (known == null) {
            throw new SystemCallException("open", Errno.ENOENT);
        }
        return known;
    }

    /** Records a directory of the target that was made. */
    void made(TreePath path, TargetDirectory directory) {
        made.putIfAbsent(path, directory);
    }

    /** Forgets a directory of the target that is finished. */
    void finished(TreePath directory) {
        made.remove(directory);
    }

    /** Closes all directories. All trees were closed before. */
    @Override
    public void close() {
        pool.closeRoot(root);
        pool.close();
    }
}
