// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.RemotePaths;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;

/**
 * Decides where each source of a copy with a stage goes, as cp does: onto a destination that does not exist or is a
 * file, and into one that is a directory. Directories above a path of a stage need not exist.
 */
final class StagedLayout {

    private static final ByteString DOT = ByteString.of(".");
    private static final ByteString DOT_DOT = ByteString.of("..");

    private final StagedPaths paths;
    private final CopyArguments arguments;
    private final CopyOptions options;
    private final List<EntryFailure> unplaced = new ArrayList<>();

    StagedLayout(StagedPaths paths, CopyArguments arguments, CopyOptions options) {
        this.paths = paths;
        this.arguments = arguments;
        this.options = options;
    }

    /** Returns the sources that cannot be copied. */
    List<EntryFailure> unplaced() {
        return unplaced;
    }

    /** Returns the pairs to copy. */
    List<StagedPair> resolve() throws CopyRefusedException, StageException {
        List<ByteString> operands = arguments.operands();
        Optional<ByteString> named = arguments.targetDirectory();
        if (operands.isEmpty()) {
            throw new CopyRefusedException("no source given");
        }
        if (named.isPresent() && arguments.noTargetDirectory()) {
            throw new CopyRefusedException(
                    "-t and -T cannot be combined: -t names a directory to copy into, -T says that there is none");
        }
        if (named.isEmpty() && operands.size() == 1) {
            throw new CopyRefusedException("no destination given after '" + operands.getFirst() + "'");
        }
        ByteString destination = named.orElseGet(operands::getLast);
        List<ByteString> sources = named.isPresent() ? operands : operands.subList(0, operands.size() - 1);
        if (destination.length() == 0 || sources.stream().anyMatch(source -> source.length() == 0)) {
            throw new CopyRefusedException("a path is empty; use '.' for the working directory");
        }
        boolean isLocal = !RemotePaths.isStaged(destination);
        if (isLocal && !sources.stream().allMatch(RemotePaths::isStaged)) {
            throw new CopyRefusedException(
                    "a copy out of a stage has no other sources; copy those of this host by a command of their own");
        }
        boolean isInto = named.isPresent() || sources.size() > 1
                || !arguments.noTargetDirectory() && isDirectory(destination);
        if (arguments.noTargetDirectory() && sources.size() > 1) {
            throw new CopyRefusedException("-T needs exactly one source and one destination");
        }
        if (isInto && isLocal && !isDirectory(destination)) {
            throw new CopyRefusedException("the destination '" + destination + "' "
                    + (status(destination).isPresent() ? "is not a directory" : UserPath.remedyIfMissing(destination)));
        }
        Map<ByteString, StagedPair> pairs = new LinkedHashMap<>();
        for (ByteString given : sources) {
            ByteString source = arguments.stripTrailingSlashes() ? UserPath.stripSlashes(given) : given;
            StagedPair pair = pair(source, destination, isInto);
            StagedPair before = pair == null ? null : pairs.put(pair.names().target(), pair);
            if (before != null) {
                throw new CopyRefusedException("'" + before.names().source().path() + "' and '" + source
                        + "' would both become '" + before.names().target() + "'; copy one of them elsewhere");
            }
        }
        return List.copyOf(pairs.values());
    }

    private Optional<FileStatus> status(ByteString operand) throws CopyRefusedException, StageException {
        if (RemotePaths.isStaged(operand)) {
            StagedEntry entry = paths.entry(operand);
            return paths.store(entry.stage()).find(entry.path());
        }
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return Optional.ofNullable(LongPath.find(access, operand, true));
        } catch (SystemCallException e) {
            throw new CopyRefusedException("the destination '" + operand + "': " + e.getMessage());
        }
    }

    private boolean isDirectory(ByteString operand) throws CopyRefusedException, StageException {
        return status(operand).filter(there -> there.kind() == EntryKind.DIRECTORY).isPresent();
    }

    private @Nullable StagedPair pair(ByteString source, ByteString destination, boolean isInto)
            throws CopyRefusedException, StageException {
        Found found = RemotePaths.isStaged(source) ? staged(source) : local(source);
        if (found == null) {
            return null;
        }
        boolean isDirectory = found.status.kind() == EntryKind.DIRECTORY;
        if (isDirectory && !options.recursive()) {
            fail(source, "skipped directory; use -r to copy directories", 0);
            return null;
        }
        ByteString target = destination;
        if (isInto && !found.name.equals(DOT)) {
            target = UserPath.join(destination, found.name);
        } else if (!isInto && !isDirectory && UserPath.endsWithSlash(destination)) {
            throw new CopyRefusedException("the destination '" + destination
                    + "' ends with '/' and does not exist: leave the '/' out to name the copy of '" + source + "' so");
        }
        CopyPair names = new CopyPair(Root.of(source), target);
        if (!RemotePaths.isStaged(target)) {
            return new StagedPair(names, found.place, found.status, local(target, isDirectory));
        }
        StagedEntry entry = paths.entry(target);
        if (entry.path().length() == 0 && !isDirectory) {
            throw new CopyRefusedException("only a directory can become the top of a stage; name the copy of '" + source
                    + "': " + UserPath.join(destination, found.name));
        }
        checkOverlap(found, entry);
        paths.store(entry.stage()).checkCopies();
        return new StagedPair(names, found.place, found.status,
                new StagedPair.Place.InStage(paths.store(entry.stage()), entry, entry.path()));
    }

    private static void checkOverlap(Found found, StagedEntry target) throws CopyRefusedException {
        if (!(found.place instanceof StagedPair.Place.InStage from) || !from.entry().stage().equals(target.stage())) {
            return;
        }
        if (from.path().equals(target.path())) {
            throw new CopyRefusedException("'" + from.entry().given() + "' and '" + target.given() + "' are the same");
        }
        byte[] below = StagedFile.join(from.path(), ByteString.of("x")).toBytes();
        ByteString head = ByteString.of(below, 0, below.length - 1);
        if (found.status.kind() == EntryKind.DIRECTORY && target.path().has(head.toBytes(), 0)) {
            throw new CopyRefusedException(
                    "'" + from.entry().given() + "' cannot be copied into itself, '" + target.given() + "'");
        }
    }

    /** A source: its place, its status, and the name that its copy gets in a directory. */
    private record Found(StagedPair.Place place, FileStatus status, ByteString name) {}

    private @Nullable Found staged(ByteString source) throws StageException {
        StagedEntry entry = paths.entry(source);
        FileStatus status = paths.store(entry.stage()).find(entry.path()).orElse(null);
        if (status == null) {
            fail(source, "stat", Errno.ENOENT);
            return null;
        }
        return new Found(new StagedPair.Place.InStage(paths.store(entry.stage()), entry, entry.path()), status,
                entry.path().length() == 0 ? DOT : UserPath.baseName(entry.path()));
    }

    private @Nullable Found local(ByteString source) {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            boolean follows = options.symlinks() != Symlinks.NEVER;
            FileStatus status = LongPath.status(access, source, follows || UserPath.endsWithSlash(source));
            ByteString name = UserPath.baseName(source);
            ByteString own = name.length() == 0 || name.equals(DOT_DOT) ? DOT : name;
            return new Found(LocalPath.place(access, source, follows), status, own);
        } catch (SystemCallException e) {
            fail(source, e.operation(), e.errno());
            return null;
        }
    }

    private StagedPair.Place local(ByteString target, boolean isDirectory) throws CopyRefusedException, StageException {
        if (isDirectory && isDirectory(target)) {
            return new StagedPair.Place.Local(target, TreePath.root());
        }
        ByteString parent = UserPath.parent(target);
        ByteString name = UserPath.baseName(target);
        if (!isDirectory(parent)) {
            throw new CopyRefusedException("the directory '" + parent + "' " + UserPath.remedyIfMissing(parent));
        }
        if (name.length() == 0 || name.equals(DOT) || name.equals(DOT_DOT)) {
            throw new CopyRefusedException("the destination '" + target + "' is a directory, and the source is not");
        }
        return new StagedPair.Place.Local(parent, TreePath.root().child(name.toBytes()));
    }

    private void fail(ByteString source, String what, int errno) {
        unplaced.add(new EntryFailure(EntryFailure.Kind.ERROR, source, TreePath.root(), what, errno));
    }
}
