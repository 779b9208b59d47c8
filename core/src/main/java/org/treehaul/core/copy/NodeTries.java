// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.RetryPolicy;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.file.FileTries;
import org.treehaul.core.copy.links.EarlierCopies;
import org.treehaul.core.copy.links.HardLinks;
import org.treehaul.core.copy.links.LinkGroups;
import org.treehaul.core.copy.links.LinkNames;
import org.treehaul.core.copy.links.SourceLinker;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Copies entries without data, or creates links in place of copies, retries after errors that may be transient, and
 * reports the outcome. Not safe for several threads.
 */
final class NodeTries {

    private final CopyContext context;
    private final FileAccess access;
    private final NodeCopier nodes;
    private final SourceLinker linker;
    private final ExistingTarget existing;
    private final LinkNames links;
    private final FileTries files;
    private final CopyOptions.Form form;
    private final EarlierCopies.@Nullable Lookup earlier;

    /**
     * Creates an instance for one thread.
     *
     * @param earlier earlier copies, or null
     * @param files copies an entry that has become a regular file
     */
    NodeTries(CopyContext context, FileAccess access, NodeCopier nodes, SourceLinker linker, ExistingTarget existing,
            LinkNames links, EarlierCopies.@Nullable Lookup earlier, FileTries files) {
        this.context = context;
        this.access = access;
        this.nodes = nodes;
        this.linker = linker;
        this.existing = existing;
        this.links = links;
        this.earlier = earlier;
        this.files = files;
        this.form = context.options().form();
    }

    /**
     * Copies an entry, or creates a link in place of its copy.
     *
     * @param wokenFor the group whose waiting names depend on this one until it joins a group
     * @param triesBefore the number of earlier attempts
     */
    void copy(CopyTask task, int directory, MemorySegment name, int targetDirectory, MemorySegment nameAtTarget,
            HardLinks.@Nullable Group wokenFor, int triesBefore) {
        LinkGroups groups = new LinkGroups(links, wokenFor);
        RetryPolicy.Failure failed = context.retries().run(triesBefore, tries -> {
            groups.resign();
            copyOnce(task, directory, name, targetDirectory, nameAtTarget, groups);
        });
        if (failed != null) {
            context.outcomes().failed(task, failed.cause(), failed.tries());
            links.failed(groups.led());
        }
        groups.wakeNext();
    }

    private void copyOnce(CopyTask task, int directory, MemorySegment name, int targetDirectory,
            MemorySegment nameAtTarget, LinkGroups groups) throws SystemCallException, TargetException {
        FileStatus status = access.status(directory, name, task.isFollowed());
        if (status.kind() != task.kind()) {
            if (!files.copyAs(task, status.kind())) {
                context.outcomes().failed(task, new ChangedException(), 1);
            }
            return;
        }
        if (context.isGrouped(status)
                && !groups.join(context.hardLinks().group(status), task, status, targetDirectory, nameAtTarget)) {
            return;
        }
        if (earlier != null && isTaken(task, status, directory, name, targetDirectory, nameAtTarget, groups)) {
            return;
        }
        FileStatus made = make(task, status, directory, name, targetDirectory, nameAtTarget, groups.led());
        if (made != null) {
            links.succeeded(groups.led(), task, made);
        } else {
            links.failed(groups.led());
        }
    }

    private boolean isTaken(CopyTask task, FileStatus status, int directory, MemorySegment name, int targetDirectory,
            MemorySegment nameAtTarget, LinkGroups groups) throws SystemCallException {
        EarlierCopies.Lookup lookup = earlier;
        EarlierCopies.Taken taken = lookup == null
                ? null
                : lookup.take(new EarlierCopies.Source(task.path(), status, -1,
                        nodes.attributes(status, directory, name),
                        status.kind() == EntryKind.SYMLINK ? access.linkTarget(directory, name) : ByteString.empty()),
                        targetDirectory, nameAtTarget);
        if (lookup == null || taken == null) {
            return false;
        }
        links.taken(taken, lookup.operation(), task, status, groups.led());
        return true;
    }

    // Returns the status of an entry to which other names can be linked, or null if there is none.
    private @Nullable FileStatus make(CopyTask task, FileStatus status, int directory, MemorySegment name,
            int targetDirectory, MemorySegment nameAtTarget, HardLinks.@Nullable Group led)
            throws SystemCallException, TargetException {
        boolean isCopy = form == CopyOptions.Form.COPY;
        NodeCopier.Outcome outcome;
        if (isCopy) {
            outcome = nodes.copy(task, status, directory, name, targetDirectory, nameAtTarget);
        } else {
            outcome = linker.link(task, status, directory, name, targetDirectory, nameAtTarget)
                    ? NodeCopier.Outcome.MADE
                    : NodeCopier.Outcome.SKIPPED;
        }
        return switch (outcome) {
            case MADE -> {
                if (!isCopy && status.kind() == EntryKind.REGULAR) {
                    context.progress().fileDone();
                }
                context.outcomes().done(isCopy ? "make" : "link", task, status, true);
                yield isCopy ? nodes.made() : linker.made();
            }
            case SKIPPED -> {
                context.outcomes().skipped(task);
                yield led == null ? null : existing.leader(status, targetDirectory, nameAtTarget);
            }
            case INCOMPLETE -> null;
        };
    }
}
