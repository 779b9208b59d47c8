// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.WalkWorker;

/**
 * Copies regular files, again if a file has changed or an error may be transient, and reports the result to the run.
 * Not safe for several threads.
 */
final class FileTries implements CopyEnd {

    private static final int CHANGED_TRIES = 2;
    private static final int PASSING_TRIES = 4;

    private final CopyRun run;
    private final FileAccess access;
    private final MetadataWriter metadata;
    private final LinkNames links;
    private final FileCopier files;
    private final ExistingTarget existing;

    FileTries(CopyRun run, WalkWorker<TargetDirectory> worker, MetadataWriter metadata, Placer placer,
            NameCollisions collisions, LinkNames links) {
        this.run = run;
        this.access = worker.access();
        this.metadata = metadata;
        this.links = links;
        this.existing = new ExistingTarget(run.options(), access);
        this.files = new FileCopier(run, worker, metadata, placer, collisions, this);
    }

    FileCopier files() {
        return files;
    }

    /**
     * Copies a file.
     *
     * @param wokenFor the group whose waiting names depend on this one until it joins a group
     * @param triesBefore the number of earlier attempts
     */
    void copy(CopyTask task, int directory, MemorySegment name, int targetDirectory, MemorySegment nameAtTarget,
            HardLinks.@Nullable Group wokenFor, int triesBefore) {
        HardLinks.Group owed = wokenFor;
        for (int tries = triesBefore + 1;; tries++) {
            HardLinks.Group led = null;
            int source = -1;
            boolean isHandedOver = false;
            Exception cause;
            try {
                source = files.open(task, directory, name);
                FileStatus status = access.status(source);
                if (run.preserves(Preserve.LINKS) && status.linkCount() > 1) {
                    HardLinks.Group group = run.hardLinks().group(status);
                    LinkNames.Joined joined = links.join(group, task, status, targetDirectory, nameAtTarget);
                    if (owed != group) {
                        links.wakeNext(owed);
                    }
                    owed = null;
                    if (joined != LinkNames.Joined.LEADS) {
                        return;
                    }
                    led = group;
                }
                isHandedOver = !files.copy(new FileCopier.Attempt(task, source, status,
                        metadata.attributesOf(source, status), targetDirectory, nameAtTarget, led, tries));
                return;
            } catch (SystemCallException | TargetException | ChangedException | CorruptException
                    | WithdrawnException e) {
                cause = e;
            } finally {
                if (source >= 0 && !isHandedOver) {
                    access.closeQuietly(source);
                }
            }
            if (!mayGoThrough(run, cause, tries)) {
                if (!(cause instanceof ChangedException && isOfOtherKind(task, directory, name))) {
                    tell(task, cause, tries);
                }
                links.failed(led);
                links.wakeNext(owed);
                return;
            }
            if (led != null) {
                // The name may now belong to another file, in another group or in none.
                led.resigned();
                owed = led;
            }
        }
    }

    /** Returns whether another try may succeed. */
    static boolean mayGoThrough(CopyRun run, Exception cause, int tries) {
        return switch (cause) {
            case ChangedException e -> tries < CHANGED_TRIES;
            case SystemCallException e -> tries < PASSING_TRIES && isPassing(run, e);
            case TargetException e -> tries < PASSING_TRIES && (isPassing(run, e.call()) || isSwept(e.call()));
            default -> false;
        };
    }

    // Servers return these errors while they fail over, and descriptors may become free: the same call may succeed a
    // moment later.
    private static boolean isPassing(CopyRun run, SystemCallException e) {
        return switch (e.errno()) {
            case Errno.ESTALE, Errno.EAGAIN, Errno.EINTR -> true;
            case Errno.EMFILE, Errno.ENFILE -> run.closeUnheldDirectories();
            default -> false;
        };
    }

    // A second run of the same command may mistake a temporary file, closed a moment before it is renamed, for one of a
    // dead run. An unnamed file that had a temporary name and lost it cannot get another one.
    private static boolean isSwept(SystemCallException e) {
        return e.errno() == Errno.ENOENT && (e.operation().equals("rename") || e.operation().equals("link"));
    }

    @Override
    public void copied(FileCopier.Attempt attempt, @Nullable FileStatus made, boolean isProved) {
        CopyTask task = attempt.task();
        run.progress().fileDone();
        run.done("copy", task, attempt.status(), isProved);
        lead(attempt, made);
    }

    @Override
    public void incomplete(FileCopier.Attempt attempt, @Nullable FileStatus made, SystemCallException problem) {
        run.targetFailed(attempt.task(), problem, attempt.tries());
        lead(attempt, made);
    }

    private void lead(FileCopier.Attempt attempt, @Nullable FileStatus made) {
        if (made != null) {
            links.succeeded(attempt.group(), attempt.task(), made);
        } else {
            links.failed(attempt.group());
        }
    }

    @Override
    public void skipped(FileCopier.Attempt attempt) {
        run.skipped(attempt.task());
        lead(attempt,
                attempt.group() == null
                        ? null
                        : existing.leader(attempt.status(), attempt.targetDirectory(), attempt.targetName()));
    }

    @Override
    public void failed(FileCopier.Attempt attempt, Exception cause) {
        HardLinks.Group group = attempt.group();
        if (mayGoThrough(run, cause, attempt.tries())) {
            if (group != null) {
                group.resigned();
            }
            links.again(attempt.task(), group, attempt.tries());
            return;
        }
        tell(attempt.task(), cause, attempt.tries());
        links.failed(group);
    }

    /**
     * Copies an entry whose kind was not checked according to its actual kind; a directory is not copied.
     *
     * @return false if it is not copied
     */
    boolean copyAs(CopyTask task, EntryKind found) {
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
            FileStatus now = task.isFollowed()
                    ? access.followedStatus(directory, name)
                    : access.status(directory, name);
            return copyAs(task, now.kind());
        } catch (SystemCallException e) {
            return false;
        }
    }

    private void tell(CopyTask task, Exception cause, int tries) {
        switch (cause) {
            case ChangedException e -> run.sourceChanged(task, tries);
            case CorruptException e -> run.targetCorrupt(task, tries);
            case SystemCallException e -> run.sourceFailed(task, e, tries);
            case TargetException e -> run.targetFailed(task, e.call(), tries);
            case WithdrawnException e -> {
            }
            case RuntimeException e -> throw e;
            default -> throw new IllegalStateException(cause);
        }
    }
}
