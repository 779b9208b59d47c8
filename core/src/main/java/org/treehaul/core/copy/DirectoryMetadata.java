// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.Collections;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Gives directories whose content is complete their metadata, and reports the outcome. Not safe for several threads.
 */
@Internal
public final class DirectoryMetadata {

    private final CopyContext context;
    private final FileAccess access;
    private final MetadataWriter metadata;

    /** Opens a directory. */
    public interface Opening<T> {
        T open() throws SystemCallException;
    }

    public DirectoryMetadata(CopyContext context, FileAccess access, MetadataWriter metadata) {
        this.context = context;
        this.access = access;
        this.metadata = metadata;
    }

    /**
     * Copies the metadata of a directory and reports it as done or failed. If the source cannot be read, its failure is
     * reported, and the rest is copied, except the times, which would indicate completeness.
     *
     * @param known the status of the source, or null if it must be read
     * @param isComplete whether the listing of the source was read to the end
     * @param target acquires the copy, which is released here
     */
    public void finish(int root, TreePath path, @Nullable FileStatus known, Opening<Directory> source,
            boolean isComplete, Opening<TargetDirectory> target) {
        FileStatus status = known;
        SortedMap<ByteString, ByteString> attributes = Collections.emptySortedMap();
        boolean withTimes = isComplete;
        try {
            if (status == null || !metadata.policy().isEmpty()) {
                Directory from = source.open();
                if (status == null) {
                    status = from.open(access);
                } else {
                    from.acquire(access);
                }
                try {
                    attributes = metadata.attributesOf(from.descriptor(), status);
                } finally {
                    from.release();
                }
            }
        } catch (SystemCallException e) {
            context.outcomes().failed(root, path, e);
            withTimes = false;
        }
        SystemCallException problem;
        try {
            TargetDirectory to = target.open();
            try {
                problem = copy(status, attributes, to, withTimes);
            } finally {
                to.handle().release();
            }
        } catch (SystemCallException e) {
            problem = e;
        }
        if (problem != null) {
            context.outcomes().failed(root, path, new TargetException(problem));
        } else {
            context.progress().directoryDone();
            context.outcomes().done("directory", root, path);
        }
    }

    // Without a source, a directory only gets back the mode that it had before it was widened.
    private @Nullable SystemCallException copy(@Nullable FileStatus source,
            SortedMap<ByteString, ByteString> attributes, TargetDirectory target, boolean withTimes)
            throws SystemCallException {
        int descriptor = target.handle().descriptor();
        SystemCallException problem = null;
        if (source != null) {
            problem = metadata.toDirectory(descriptor, source, target, attributes, withTimes);
        } else if (target.isWidened()) {
            FileAccess.check("fchmod", access.calls().fchmod(descriptor, target.status().permissions()));
        }
        if (context.options().fsync()) {
            FileAccess.check("fsync", access.calls().fsync(descriptor));
        }
        return problem;
    }
}
