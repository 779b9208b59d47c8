// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import java.lang.foreign.MemorySegment;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.RetryPolicy;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.links.EarlierCopies;
import org.treehaul.core.copy.links.HardLinks;
import org.treehaul.core.copy.links.LinkGroups;
import org.treehaul.core.copy.links.LinkNames;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.copy.target.TargetAccess;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.WalkWorker;

/**
 * Copies regular files, retries if a file has changed or an error may be transient, and reports the result. Not safe
 * for several threads.
 */
public final class FileTries implements CopyEnd {

    private final CopyContext context;
    private final FileAccess access;
    private final MetadataWriter metadata;
    private final LinkNames links;
    private final FileCopier files;
    private final ExistingTarget existing;
    private final EarlierCopies.@Nullable Lookup earlier;

    public FileTries(CopyContext context, WalkWorker<TargetDirectory> worker, TargetAccess target,
            MetadataWriter metadata, LinkNames links, EarlierCopies.@Nullable Lookup earlier) {
        this.context = context;
        this.access = worker.access();
        this.metadata = metadata;
        this.links = links;
        this.existing = target.existing();
        this.earlier = earlier;
        this.files = new FileCopier(context, worker, target, metadata, this);
    }

    public FileCopier files() {
        return files;
    }

    /**
     * Copies a file.
     *
     * @param wokenFor the group whose waiting names depend on this one until it joins a group
     * @param triesBefore the number of earlier attempts
     */
    public void copy(CopyTask task, int directory, MemorySegment name, int targetDirectory, MemorySegment nameAtTarget,
            HardLinks.@Nullable Group wokenFor, int triesBefore) {
        LinkGroups groups = new LinkGroups(links, wokenFor);
        RetryPolicy.Failure failed = context.retries().run(triesBefore, tries -> {
            groups.resign();
            copyOnce(task, directory, name, targetDirectory, nameAtTarget, groups, tries);
        });
        if (failed != null) {
            if (!(failed.cause() instanceof ChangedException && isOfOtherKind(task, directory, name))) {
                report(task, failed.cause(), failed.tries());
            }
            links.failed(groups.led());
        }
        groups.wakeNext();
    }

    private void copyOnce(CopyTask task, int directory, MemorySegment name, int targetDirectory,
            MemorySegment nameAtTarget, LinkGroups groups, int tries)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        long began = context.outcomes().began();
        int source = files.open(task, directory, name);
        boolean isHandedOver = false;
        try {
            FileStatus status = access.status(source);
            if (context.isGrouped(status)) {
                HardLinks.Group group = context.hardLinks().group(status);
                if (!groups.join(group, task, status, targetDirectory, nameAtTarget)) {
                    return;
                }
            }
            SortedMap<ByteString, ByteString> attributes = metadata.attributesOf(source, status);
            if (earlier != null && isTaken(task, status, source, attributes, targetDirectory, nameAtTarget, groups)) {
                return;
            }
            isHandedOver = !files.copy(new FileAttempt(task, source, status, attributes, targetDirectory, nameAtTarget,
                    groups.led(), tries, began));
        } finally {
            if (!isHandedOver) {
                access.closeQuietly(source);
            }
        }
    }

    private boolean isTaken(CopyTask task, FileStatus status, int source, SortedMap<ByteString, ByteString> attributes,
            int targetDirectory, MemorySegment nameAtTarget, LinkGroups groups) {
        EarlierCopies.Lookup lookup = earlier;
        EarlierCopies.Taken taken = lookup == null || status.kind() != EntryKind.REGULAR
                ? null
                : lookup.take(new EarlierCopies.Source(task.path(), status, source, attributes, ByteString.empty()),
                        targetDirectory, nameAtTarget);
        if (lookup == null || taken == null) {
            return false;
        }
        if (taken.link() != null) {
            context.progress().fileDone();
        }
        links.taken(taken, lookup.operation(), task, status, groups.led());
        return true;
    }

    @Override
    public void ended(FileAttempt attempt, Result result) {
        // The usual result needs no switch, for which the JVM would make a class at each start.
        if (result instanceof Copied copied) {
            copied(attempt, copied);
            return;
        }
        CopyTask task = attempt.task();
        switch (result) {
            case Copied copied -> copied(attempt, copied);
            case Incomplete incomplete -> {
                context.outcomes().failed(task, new TargetException(incomplete.problem()), attempt.tries());
                lead(attempt, incomplete.made());
            }
            case Skipped skipped -> skipped(attempt);
            case Failed failed -> failed(attempt, failed.cause());
        }
    }

    private void copied(FileAttempt attempt, Copied copied) {
        context.outcomes().took(attempt.task(), attempt.began());
        context.progress().fileDone();
        context.outcomes().done("copy", attempt.task(), attempt.status(), copied.isProved());
        lead(attempt, copied.made());
    }

    private void skipped(FileAttempt attempt) {
        boolean isProved;
        try {
            isProved = files.verifier().keep(attempt);
        } catch (SystemCallException | TargetException | ChangedException | CorruptException | WithdrawnException e) {
            failed(attempt, e);
            return;
        }
        context.outcomes().skipped(attempt.task(), isProved);
        lead(attempt,
                attempt.group() == null
                        ? null
                        : existing.leader(attempt.status(), attempt.targetDirectory(), attempt.targetName()));
    }

    private void lead(FileAttempt attempt, @Nullable FileStatus made) {
        if (made != null) {
            links.succeeded(attempt.group(), attempt.task(), made);
        } else {
            links.failed(attempt.group());
        }
    }

    private void failed(FileAttempt attempt, Exception cause) {
        HardLinks.Group group = attempt.group();
        if (context.retries().mayRetry(cause, attempt.tries())) {
            if (group != null) {
                group.resigned();
            }
            links.again(attempt.task(), group, attempt.tries());
            return;
        }
        report(attempt.task(), cause, attempt.tries());
        links.failed(group);
    }

    /**
     * Copies an entry whose kind was not checked according to its actual kind; a directory is not copied.
     *
     * @return false if it is not copied
     */
    public boolean copyAs(CopyTask task, EntryKind found) {
        boolean isAgain = task.isKindExpected() && found != EntryKind.DIRECTORY && found != task.kind();
        if (isAgain) {
            links.again(task.as(found), null, 0);
        }
        return isAgain;
    }

    private boolean isOfOtherKind(CopyTask task, int directory, MemorySegment name) {
        if (!task.isKindExpected()) {
            return false;
        }
        try {
            return copyAs(task, access.status(directory, name, task.isFollowed()).kind());
        } catch (SystemCallException e) {
            return false;
        }
    }

    // After the copy was cancelled, a withdrawn entry has no outcome.
    private void report(CopyTask task, Exception cause, int tries) {
        switch (cause) {
            case WithdrawnException e -> {
            }
            case RuntimeException e -> throw e;
            default -> context.outcomes().failed(task, cause, tries);
        }
    }
}
