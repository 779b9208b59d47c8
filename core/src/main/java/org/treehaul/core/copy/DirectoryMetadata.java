// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.Collections;
import java.util.Objects;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.failure.RetryPolicy;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Gives directories whose content is complete their metadata, retries after errors that may be transient, and reports
 * the outcome. Not safe for several threads.
 */
@Internal
public final class DirectoryMetadata {

    private final CopyContext context;
    private final FileAccess access;
    private final MetadataWriter metadata;

    /** Opens a directory. It is called again if the metadata is tried again. */
    public interface Opening<T> {
        T open() throws SystemCallException;
    }

    public DirectoryMetadata(CopyContext context, FileAccess access, MetadataWriter metadata) {
        this.context = context;
        this.access = access;
        this.metadata = metadata;
    }

    /**
     * Copies the metadata of a directory, and reports it as either done or failed; the caller has reported one that is
     * not complete. If the source cannot be read, its failure is reported, and the rest is copied, except the times,
     * which would indicate completeness; nothing if it may have an ACL that could not be read.
     *
     * @param known the status of the source, or null if it must be read
     * @param isComplete whether the listing of the source was read to the end
     * @param target acquires the copy, which is released here
     */
    public void finish(int root, TreePath path, @Nullable FileStatus known, Opening<Directory> source,
            boolean isComplete, Opening<TargetDirectory> target) {
        Original original = new Original(known);
        RetryPolicy.Failure unread = context.retries().run(0, tries -> original.read(source));
        if (unread != null) {
            context.outcomes().failed(root, path, unread.cause());
        }
        if (unread != null && context.preserves(Preserve.ACL)) {
            // The permissions of its group may be the mask of an ACL.
            original.status = null;
        }
        boolean withTimes = isComplete && unread == null;
        RetryPolicy.Failure failed = copy(original, target, withTimes);
        if (failed != null) {
            context.outcomes().failed(root, path, failed.cause());
        } else if (withTimes) {
            context.outcomes().directoryDone(root, path, Objects.requireNonNull(original.status));
        }
    }

    private RetryPolicy.@Nullable Failure copy(Original original, Opening<TargetDirectory> target, boolean withTimes) {
        return context.retries().run(0, tries -> {
            try {
                copy(original, target.open(), withTimes, tries > 1);
            } catch (SystemCallException e) {
                throw new TargetException(e);
            }
        });
    }

    /**
     * Copies the metadata, except the times, of a directory that could not be opened, which was reported.
     *
     * @param source its status, or null if it must not be applied
     * @param attributes its attributes, or null if there is no status
     * @param target acquires the copy, which is released here
     */
    void finishUnopened(int root, TreePath path, @Nullable FileStatus source,
            @Nullable SortedMap<ByteString, ByteString> attributes, Opening<TargetDirectory> target) {
        Original original = new Original(source);
        original.attributes = attributes == null ? Collections.emptySortedMap() : attributes;
        RetryPolicy.Failure failed = copy(original, target, false);
        if (failed != null) {
            context.outcomes().failed(root, path, failed.cause());
        }
    }

    /** The metadata of a source, as far as it could be read. */
    private final class Original {

        private @Nullable FileStatus status;
        private SortedMap<ByteString, ByteString> attributes = Collections.emptySortedMap();

        Original(@Nullable FileStatus known) {
            this.status = known;
        }

        void read(Opening<Directory> source) throws SystemCallException {
            FileStatus known = status;
            if (known != null && metadata.policy().isEmpty()) {
                return;
            }
            Directory from = source.open();
            if (known == null) {
                known = from.open(access);
                status = known;
            } else {
                from.acquire(access);
            }
            try {
                attributes = metadata.attributesOf(from.descriptor(), known);
            } finally {
                from.release();
            }
        }
    }

    private void copy(Original original, TargetDirectory opened, boolean withTimes, boolean isAgain)
            throws SystemCallException {
        try {
            SystemCallException problem = copy(original, isAgain ? widened(opened) : opened, withTimes);
            if (problem != null) {
                throw problem;
            }
        } finally {
            opened.handle().release();
        }
    }

    // An attempt that failed may have left any mode.
    private static TargetDirectory widened(TargetDirectory t) {
        return new TargetDirectory(t.handle(), t.status(), t.isNew(), t.defaultAcl(), t.mayGiveAcl(), true);
    }

    // Without a source, a directory only gets back the mode that it had before it was widened.
    private @Nullable SystemCallException copy(Original original, TargetDirectory target, boolean withTimes)
            throws SystemCallException {
        int descriptor = target.handle().descriptor();
        FileStatus source = original.status;
        SystemCallException problem = null;
        if (source != null) {
            problem = metadata.toDirectory(descriptor, source, target, original.attributes, withTimes);
        } else if (target.isWidened()) {
            FileAccess.check("fchmod", access.calls().fchmod(descriptor, target.status().permissions()));
        }
        if (context.options().fsync()) {
            Directory.sync(access, descriptor);
        }
        return problem;
    }
}
