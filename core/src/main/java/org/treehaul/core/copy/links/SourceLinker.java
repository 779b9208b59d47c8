// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.links;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_FOLLOW;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_NOFOLLOW;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.copy.target.Placer;
import org.treehaul.core.copy.target.TargetAccess;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.options.Symlinks;

/** Creates hard or symbolic links to the source in place of copies. Not safe for several threads. */
public final class SourceLinker {

    private static final int TRIES = 8;
    private static final int PATH_MAX = 4096;

    private final CopyOptions options;
    private final List<CopyPair> pairs;
    private final FileAccess access;
    private final FileSystemCalls calls;
    private final TargetAccess target;
    private final MemorySegment text = Arena.ofAuto().allocate(PATH_MAX);

    // The status of the last link made; null if unknown.
    private @Nullable FileStatus made;
    private @Nullable FileStatus workingDirectory;

    public SourceLinker(CopyOptions options, List<CopyPair> pairs, TargetAccess target) {
        this.options = options;
        this.pairs = pairs;
        this.access = target.files();
        this.calls = access.calls();
        this.target = target;
    }

    /** Returns the status of the symbolic link made last; null if unknown. */
    @Nullable public FileStatus made() {
        return made;
    }

    /**
     * Creates a link to the source.
     *
     * @return false if the existing entry was kept, according to the options
     */
    public boolean link(CopyTask task, FileStatus source, int sourceDirectory, MemorySegment sourceName, int directory,
            MemorySegment name) throws TargetException {
        made = null;
        boolean isHard = options.form() == CopyOptions.Form.HARD_LINK;
        Placer.Maker maker = isHard ? hard(task, sourceDirectory, sourceName, directory) : symbolic(task, directory);
        for (int tries = 1;; tries++) {
            int answer = maker.make(name);
            if (answer == -Errno.EEXIST) {
                FileStatus there = ExistingTarget.find(access, directory, name);
                if (there == null && tries < TRIES) {
                    continue;
                }
                if (there != null) {
                    ExistingTarget.Referent referent = () -> access.followedStatus(sourceDirectory, sourceName);
                    if (isHard && isThereAlready(source, there, referent)) {
                        return true;
                    }
                    if (!replace(task, source, there, directory, name, maker, referent)) {
                        return false;
                    }
                    answer = 0;
                }
            }
            TargetException.check(isHard ? "link" : "symlink", answer);
            if (!isHard) {
                finish(source, directory, name);
            }
            return true;
        }
    }

    // As same_file_ok: a link must not replace the file to which it leads either; cp ignores this case silently.
    private static boolean isThereAlready(FileStatus source, FileStatus there, ExistingTarget.Referent referent)
            throws TargetException {
        if (there.isSameFile(source)) {
            return true;
        }
        boolean isLink = source.kind() == EntryKind.SYMLINK && there.kind() != EntryKind.SYMLINK;
        return isLink && ExistingTarget.leadsTo(referent, there);
    }

    private boolean replace(CopyTask task, FileStatus source, FileStatus there, int directory, MemorySegment name,
            Placer.Maker maker, ExistingTarget.Referent referent) throws TargetException {
        target.collisions().check(task.besides(), task.target(), directory, task.targetName());
        ExistingTarget.Decision decision = target.existing()
                .decide(source, there, task.path().isRoot(), directory, name, referent);
        if (decision == ExistingTarget.Decision.SKIP || !target.confirmation().allows(task)) {
            return false;
        }
        if (!isToReplace(task, source, there)) {
            throw new TargetException("replace by a link without -f", Errno.EEXIST);
        }
        target.backups()
                .replace(task, source, directory, name, () -> target.placer().replaceBy(directory, name, true, maker));
        return true;
    }

    // As in cp: the existing entry is unlinked with -f and similar options, or if a copy of a link or of one of several
    // names would unlink it.
    private boolean isToReplace(CopyTask task, FileStatus source, FileStatus there) {
        boolean isAsked = options.confirmation().isPresent() && options.form() == CopyOptions.Form.HARD_LINK;
        boolean isOfNames = options.preserves(Preserve.LINKS) && there.linkCount() > 1;
        boolean isFollowed = options.symlinks() == Symlinks.ALWAYS
                || options.symlinks() == Symlinks.ROOTS && task.path().isRoot();
        boolean isNode = !isFollowed && source.kind() != EntryKind.REGULAR;
        return options.force() || options.removeDestination() || options.backup().isMade() || isAsked
                || !options.attributesOnly() && (isOfNames || isNode);
    }

    private Placer.Maker hard(CopyTask task, int sourceDirectory, MemorySegment sourceName, int directory) {
        int flags = task.isFollowed() ? AT_SYMLINK_FOLLOW : 0;
        return as -> calls.linkat(sourceDirectory, sourceName, directory, as, flags);
    }

    // A link contains the path as the user gave it, so a relative link is valid only in the working directory.
    private Placer.Maker symbolic(CopyTask task, int directory) throws TargetException {
        ByteString path = pairs.get(task.rootIndex()).sourcePath(task.path());
        try {
            if (path.at(0) != '/' && !isWorkingDirectory(directory)) {
                throw new TargetException("make a relative symbolic link outside the working directory", Errno.EINVAL);
            }
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
        if (path.length() >= PATH_MAX) {
            throw new TargetException("symlink", Errno.ENAMETOOLONG);
        }
        FileAccess.put(text, path);
        return as -> calls.symlinkat(text, directory, as);
    }

    private boolean isWorkingDirectory(int directory) throws SystemCallException {
        FileStatus working = workingDirectory;
        if (working == null) {
            working = access.followedStatus(AT_FDCWD, access.otherName(new byte[]{'.'}));
            workingDirectory = working;
        }
        return access.status(directory).isSameFile(working);
    }

    private void finish(FileStatus source, int directory, MemorySegment name) throws TargetException {
        if (options.preserves(Preserve.TIMESTAMPS)) {
            TargetException.check("utimensat",
                    calls.utimensat(directory, name, access.times(source), AT_SYMLINK_NOFOLLOW));
        }
        if (source.linkCount() > 1) {
            made = ExistingTarget.find(access, directory, name);
        }
    }
}
