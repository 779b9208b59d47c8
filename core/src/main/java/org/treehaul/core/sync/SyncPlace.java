// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.List;
import java.util.Optional;

import org.treehaul.core.copy.ClosedDirectory;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.options.Root;

/**
 * The source of a run and the place of its copy, by the rules of rsync(1): the content of a source with a slash at its
 * end goes into the destination, another source becomes an entry of the destination.
 *
 * @param pair the source and the path of its copy
 * @param missing the directory that must be created for the copy, if it does not exist
 * @param isContent whether the destination itself is the copy
 * @param source the status of the source
 */
record SyncPlace(CopyPair pair, Optional<ByteString> missing, boolean isContent, FileStatus source) {

    private static final int NEW_DIRECTORY = 0777;

    /**
     * Determines the place, and writes nothing.
     *
     * @param isList whether paths below the source are listed, so that its content is the copy
     * @throws CopyRefusedException if the source does not exist, or the run would do harm
     */
    static SyncPlace of(FileSystemCalls calls, ByteString source, ByteString destination, SyncOptions options,
            boolean isList) throws CopyRefusedException {
        if (source.length() == 0 || destination.length() == 0) {
            throw new CopyRefusedException("a path is empty; use '.' for the working directory");
        }
        try (FileAccess access = FileAccess.open(calls)) {
            SyncPlace place = new Resolver(access, source, destination, isList).resolve();
            place.check(calls, destination, options);
            return place;
        }
    }

    /** Returns whether a destination exists. */
    static boolean exists(FileSystemCalls calls, ByteString destination) {
        try (FileAccess access = FileAccess.open(calls)) {
            return LongPath.find(access, destination, true) != null;
        } catch (SystemCallException e) {
            // Refused when the place is determined.
            return true;
        }
    }

    /** Returns whether the source is a directory. */
    boolean isOfDirectory() {
        return source.kind() == EntryKind.DIRECTORY;
    }

    /** Makes the directory that must be created for the copy, as rsync with the mode of any new directory. */
    void makeMissing(FileSystemCalls calls) throws CopyRefusedException {
        ByteString directory = missing.orElse(null);
        if (directory == null) {
            return;
        }
        try (FileAccess access = FileAccess.open(calls); LongPath path = LongPath.of(access, directory)) {
            int made = calls.mkdirat(path.base(), access.name(path.rest()), NEW_DIRECTORY);
            if (made != -Errno.EEXIST) {
                FileAccess.check("mkdir", made);
            }
        } catch (SystemCallException e) {
            throw new CopyRefusedException("the destination '" + directory + "': " + e.getMessage());
        }
    }

    private void check(FileSystemCalls calls, ByteString destination, SyncOptions options) throws CopyRefusedException {
        ByteString from = pair.source().path();
        refuse(calls, from, missing.isPresent() ? destination : pair.target(), options.copy());
        // With --force alone, directories in the way are removed with their content.
        boolean mayRemove = (options.deletes() || options.isForced()) && missing.isEmpty();
        if (mayRemove && (isOfDirectory() || hasDirectory(calls, pair.target()))) {
            try {
                refuse(calls, pair.target(), isOfDirectory() ? from : UserPath.parent(from), options.copy());
            } catch (CopyRefusedException e) {
                String option = options.deletes() ? "--delete" : "--force";
                throw new CopyRefusedException("the source '" + from + "' is inside the destination '" + pair.target()
                        + "', so " + option + " would remove it; move one of them, or leave " + option + " out");
            }
        }
        if (options.deletes() && missing.isEmpty() && isOfDirectory()) {
            checkEarlier(calls, options);
        }
        if (options.backup().isPresent()) {
            checkBackup(calls, options.backup().get(), options.copy());
        }
    }

    private static boolean hasDirectory(FileSystemCalls calls, ByteString path) throws CopyRefusedException {
        try (FileAccess access = FileAccess.open(calls)) {
            FileStatus there = LongPath.find(access, path, false);
            return there != null && there.kind() == EntryKind.DIRECTORY;
        } catch (SystemCallException e) {
            throw new CopyRefusedException("'" + path + "': " + e.getMessage());
        }
    }

    private void checkEarlier(FileSystemCalls calls, SyncOptions options) throws CopyRefusedException {
        for (ByteString directory : options.earlier().directories()) {
            try {
                refuse(calls, pair.target(), directory, options.copy());
            } catch (CopyRefusedException e) {
                // One that cannot be reached is a notice, or refused later.
                if (!(e.getCause() instanceof SystemCallException) && !isExcluded(directory, options.copy())) {
                    throw new CopyRefusedException("the earlier copy '" + directory + "' is inside the destination '"
                            + pair.target() + "', so --delete would remove it; exclude it, or leave --delete out");
                }
            }
        }
    }

    private boolean isExcluded(ByteString directory, CopyOptions options) {
        List<ByteString> names = UserPath.names(directory);
        List<ByteString> above = UserPath.names(pair.target());
        if (names.size() <= above.size() || !names.subList(0, above.size()).equals(above)
                || names.contains(ByteString.of(".."))) {
            return false;
        }
        TreePath path = TreePath.root();
        for (ByteString name : names.subList(above.size(), names.size())) {
            path = path.child(name.toBytes());
            if (options.filter().excludes(path, true)) {
                return true;
            }
        }
        return false;
    }

    private void checkBackup(FileSystemCalls calls, ByteString backup, CopyOptions options)
            throws CopyRefusedException {
        SystemCallException problem = null;
        for (ByteString tree : List.of(pair.source().path(), pair.target())) {
            // The directories above it that do not exist are no reason to make it inside a tree.
            for (ByteString at = backup; at != null;) {
                try {
                    refuse(calls, tree, at, options);
                    at = null;
                } catch (CopyRefusedException e) {
                    if (!(e.getCause() instanceof SystemCallException cause)) {
                        throw new CopyRefusedException("the directory of the backups '" + backup + "' is inside '"
                                + tree + "'; choose one outside, such as one beside the destination");
                    }
                    problem = problem == null ? cause : problem;
                    ByteString above = UserPath.parent(at);
                    at = above.equals(at) ? null : above;
                }
            }
        }
        if (problem != null) {
            ByteString above = UserPath.parent(backup);
            throw new CopyRefusedException("the directory '" + above + "' above that of the backups"
                    + (problem.errno() == Errno.ENOENT
                            ? " " + UserPath.remedyIfMissing(above)
                            : ": " + problem.getMessage()));
        }
    }

    private static void refuse(FileSystemCalls calls, ByteString from, ByteString to, CopyOptions options)
            throws CopyRefusedException {
        CopyLayout.of(calls, CopyArguments.of(List.of(from, to)).withNoTargetDirectory(true), options);
    }

    /** Reads what exists. */
    private record Resolver(FileAccess access, ByteString given, ByteString destination, boolean isList) {

        SyncPlace resolve() throws CopyRefusedException {
            ByteString name = UserPath.baseName(given);
            String text = name.toString();
            boolean isContent = isList || UserPath.endsWithSlash(given) || text.equals(".") || text.equals("..");
            ByteString from = isContent ? given : UserPath.stripSlashes(given);
            FileStatus source = find(from, isContent)
                    .orElseThrow(() -> new CopyRefusedException("the source '" + given + "' does not exist"));
            if (isList && source.kind() != EntryKind.DIRECTORY) {
                throw new CopyRefusedException(
                        "the source '" + given + "' is not a directory, so no paths below it can be listed");
            }
            Optional<FileStatus> there = find(destination, true);
            boolean isDirectory = there.filter(status -> status.kind() == EntryKind.DIRECTORY).isPresent();
            if (source.kind() == EntryKind.DIRECTORY && isContent) {
                return ofContent(from, source, there.isPresent(), isDirectory);
            }
            if (source.kind() != EntryKind.DIRECTORY && !isDirectory && !UserPath.endsWithSlash(destination)) {
                return new SyncPlace(new CopyPair(Root.of(from), destination), Optional.empty(), false, source);
            }
            requireDirectory(there.isPresent(), isDirectory);
            ByteString target = UserPath.join(destination, name);
            if (isDirectory && source.kind() == EntryKind.DIRECTORY
                    && find(target, false).filter(status -> status.kind() != EntryKind.DIRECTORY).isPresent()) {
                throw new CopyRefusedException("'" + target + "' is not a directory; remove it first, or name the "
                        + "directory that is to be the copy: '" + from + "/' and its path");
            }
            return new SyncPlace(new CopyPair(Root.of(from), target),
                    isDirectory ? Optional.empty() : Optional.of(destination), false, source);
        }

        private SyncPlace ofContent(ByteString from, FileStatus source, boolean exists, boolean isDirectory)
                throws CopyRefusedException {
            requireDirectory(exists, isDirectory);
            // A link to a directory denotes that directory.
            boolean isLink = find(UserPath.stripSlashes(destination), false)
                    .filter(status -> status.kind() == EntryKind.SYMLINK)
                    .isPresent();
            ByteString target = isLink ? UserPath.join(destination, ByteString.of(".")) : destination;
            return new SyncPlace(new CopyPair(Root.of(from), target), Optional.empty(), true, source);
        }

        private void requireDirectory(boolean exists, boolean isDirectory) throws CopyRefusedException {
            if (exists && !isDirectory) {
                throw new CopyRefusedException("the destination '" + destination
                        + "' is not a directory; remove it first, or name another destination");
            }
        }

        private Optional<FileStatus> find(ByteString path, boolean follow) throws CopyRefusedException {
            try {
                return Optional.ofNullable(LongPath.find(access, path, follow));
            } catch (SystemCallException e) {
                throw new CopyRefusedException("'" + path + "': " + ClosedDirectory.describe(access, path, e));
            }
        }
    }
}
