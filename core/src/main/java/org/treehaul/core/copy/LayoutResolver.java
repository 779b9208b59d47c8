// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;

/** Determines a {@link CopyLayout}. The comments name the functions of GNU cp.c whose behaviour is reproduced. */
final class LayoutResolver {

    private static final ByteString DOT = ByteString.of(".");
    private static final ByteString DOT_DOT = ByteString.of("..");

    /** A source and the path of its copy. */
    private record Placed(ByteString source, FileStatus status, ByteString target) {}

    /** A root, the path of its copy, and the part of it to copy. */
    private record Place(ByteString root, ByteString target, TreePath path) {}

    private final PathStatus paths;
    private final RepeatedCopy repeated;
    private final CopyArguments arguments;
    private final CopyOptions options;
    private final OverlapCheck overlap;
    private final List<UnplacedSource> unplaced = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();

    LayoutResolver(PathStatus paths, RepeatedCopy repeated, CopyArguments arguments, CopyOptions options) {
        this.paths = paths;
        this.repeated = repeated;
        this.arguments = arguments;
        this.options = options;
        this.overlap = new OverlapCheck(paths, options, arguments.parents());
    }

    // As do_copy.
    CopyLayout resolve() throws CopyRefusedException {
        List<ByteString> operands = arguments.operands();
        int count = operands.size();
        Optional<ByteString> named = arguments.targetDirectory();
        if (count == 0) {
            throw new CopyRefusedException("no source given");
        }
        if (named.isPresent()) {
            if (arguments.noTargetDirectory()) {
                throw new CopyRefusedException(
                        "-t and -T cannot be combined: -t names a directory to copy into, -T says that there is none");
            }
            if (!isDirectory(named.get(), "target directory")) {
                throw new CopyRefusedException(
                        "the target directory '" + named.get() + "' " + UserPath.remedyIfMissing(named.get()));
            }
            return into(named.get(), operands);
        }
        ByteString last = operands.getLast();
        if (count == 1) {
            throw new CopyRefusedException("no destination given after '" + last + "'");
        }
        if (last.length() == 0) {
            throw new CopyRefusedException("the destination is an empty path; use '.' for the working directory");
        }
        if (arguments.noTargetDirectory()) {
            if (count > 2) {
                throw new CopyRefusedException("-T needs exactly one source and one destination; '" + operands.get(2)
                        + "' is one argument too many");
            }
            return onto(operands.getFirst(), last);
        }
        if (isDirectory(last, "destination")) {
            if (count == 2 && !UserPath.endsWithSlash(last)) {
                warnOfRepetition(source(operands.getFirst()), last);
            }
            return into(last, operands.subList(0, count - 1));
        }
        if (count > 2) {
            throw noDirectory("several sources need a destination directory", last);
        }
        return onto(operands.getFirst(), last);
    }

    // When the same command is run again, GNU cp copies one level deeper, without a message.
    private void warnOfRepetition(ByteString source, ByteString directory) throws CopyRefusedException {
        try {
            if (!arguments.parents() && arguments.selection().isEmpty() && options.recursive()
                    && paths.of(source, false).kind() == EntryKind.DIRECTORY) {
                repeated.notice(source, directory, target(directory, source)).ifPresent(notices::add);
            }
        } catch (SystemCallException e) {
            // Reported as the failure of the source.
            return;
        }
    }

    // As target_directory_operand: a symbolic link to a directory counts as one.
    private boolean isDirectory(ByteString path, String role) throws CopyRefusedException {
        try {
            Optional<FileStatus> status = paths.find(path, true);
            boolean isDirectory = status.isPresent() && status.get().kind() == EntryKind.DIRECTORY;
            if (status.isPresent() && !isDirectory && role.startsWith("target")) {
                throw new CopyRefusedException("the " + role + " '" + path + "' is not a directory");
            }
            return isDirectory;
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ELOOP && !role.startsWith("target")) {
                // A link to itself is not a directory; it may be replaced.
                return false;
            }
            throw new CopyRefusedException("the " + role + " '" + path + "': " + paths.describe(path, e), e);
        }
    }

    private CopyRefusedException noDirectory(String need, ByteString path) throws CopyRefusedException {
        try {
            return new CopyRefusedException(need + ", but '" + path + "' "
                    + (paths.find(path, false).isPresent() ? "is not a directory" : UserPath.remedyIfMissing(path)));
        } catch (SystemCallException e) {
            throw new CopyRefusedException("the destination '" + path + "': " + paths.describe(path, e), e);
        }
    }

    // As do_copy: 'cp -bf a a' makes the backup of a and nothing else.
    private CopyLayout onto(ByteString given, ByteString destination) throws CopyRefusedException {
        if (!options.force() || !options.backup().isMade() || !given.equals(destination)) {
            return ontoOther(given, destination);
        }
        try {
            Optional<FileStatus> file = paths.find(destination, true);
            if (file.isEmpty() || file.get().kind() != EntryKind.REGULAR) {
                return ontoOther(given, destination);
            }
            CopyLayout layout = ontoOther(given, paths.backup(options.backup(), destination));
            return new CopyLayout(layout.pairs(), layout.unplaced(), layout.notices(), true);
        } catch (SystemCallException e) {
            throw new CopyRefusedException("the backup of '" + destination + "': " + e.getMessage(), e);
        }
    }

    private CopyLayout ontoOther(ByteString given, ByteString destination) throws CopyRefusedException {
        if (arguments.parents()) {
            throw noDirectory("--parents needs a destination directory", destination);
        }
        ByteString source = source(given);
        FileStatus status = look(source, new Place(source, UserPath.stripSlashes(destination), TreePath.root()));
        if (status == null) {
            return new CopyLayout(List.of(), unplaced, notices);
        }
        ByteString target = destination;
        if (UserPath.endsWithSlash(destination) && status.kind() == EntryKind.DIRECTORY) {
            // A link to a directory followed by a slash denotes that directory.
            target = overlap.exists(destination) ? destination : UserPath.stripSlashes(destination);
        } else if (UserPath.endsWithSlash(destination)) {
            throw new CopyRefusedException(
                    "the destination '" + destination + "' ends with '/' and does not exist: create the "
                            + "directory first, or leave the '/' out to name the copy of '" + source + "' so");
        }
        overlap.check(source, status, target);
        return layout(List.of(new Placed(source, status, target)));
    }

    private CopyLayout into(ByteString directory, List<ByteString> sources) throws CopyRefusedException {
        Map<ByteString, Placed> byTarget = new LinkedHashMap<>();
        for (ByteString given : sources) {
            ByteString source = source(given);
            ByteString target = target(directory, source);
            FileStatus status = look(source,
                    arguments.parents()
                            ? withParents(directory, source, target)
                            : new Place(source, target, TreePath.root()));
            if (status == null) {
                continue;
            }
            Placed before = byTarget.get(target);
            if (before != null && before.status.isSameFile(status)) {
                notices.add("'" + source + "' is given more than once");
                continue;
            }
            if (before != null) {
                throw new CopyRefusedException("'" + before.source + "' and '" + source + "' would both become '"
                        + target + "'; copy one of them elsewhere, or one after the other");
            }
            overlap.check(source, status, target);
            byTarget.put(target, new Placed(source, status, target));
        }
        List<Placed> placed = List.copyOf(byTarget.values());
        if (arguments.parents()) {
            return withParents(directory, placed);
        }
        refuseMerge(byTarget.get(UserPath.join(directory, DOT)), placed);
        return layout(placed);
    }

    // 'cp -r a/. b d' copies the content of a into d, and a may contain an entry named b.
    private void refuseMerge(@Nullable Placed whole, List<Placed> placed) throws CopyRefusedException {
        if (whole == null) {
            return;
        }
        for (Placed other : placed) {
            ByteString within = UserPath.join(whole.source, UserPath.baseName(other.target));
            if (!other.target.equals(whole.target) && overlap.exists(within)) {
                throw new CopyRefusedException("'" + within + "' and '" + other.source + "' would both become '"
                        + other.target + "'; copy one after the other");
            }
        }
    }

    private ByteString source(ByteString given) {
        return arguments.stripTrailingSlashes() ? UserPath.stripSlashes(given) : given;
    }

    private @Nullable FileStatus look(ByteString source, Place place) {
        try {
            FileStatus status = paths.of(source, options.symlinks() != Symlinks.NEVER);
            if (status.kind() == EntryKind.DIRECTORY && !options.recursive() && arguments.selection().isEmpty()) {
                fail(source, place, "skipped directory; use -r to copy directories", 0);
                return null;
            }
            return status;
        } catch (SystemCallException e) {
            fail(source, place, e.operation(), e.errno());
            return null;
        }
    }

    private void fail(ByteString source, Place place, String what, int errno) {
        unplaced.add(new UnplacedSource(place.root, place.target, place.path,
                new EntryFailure(EntryFailure.Kind.ERROR, source, TreePath.root(), what, errno)));
    }

    private ByteString target(ByteString directory, ByteString source) throws CopyRefusedException {
        if (!arguments.parents()) {
            ByteString name = UserPath.baseName(source);
            // 'cp -r a/.. d' must not write to d/.., so it means the same as 'a/../.'.
            boolean itself = name.length() == 0 || name.equals(DOT) || name.equals(DOT_DOT);
            return UserPath.join(directory, itself ? DOT : name);
        }
        ByteString target = directory;
        for (ByteString name : UserPath.names(source)) {
            if (name.equals(DOT_DOT)) {
                throw new CopyRefusedException("with --parents '" + source
                        + "' would be copied outside the target directory because of its '..'; give it without '..'");
            }
            target = UserPath.join(target, name);
        }
        return target.equals(directory) ? UserPath.join(directory, DOT) : target;
    }

    // As make_dir_parents_private and re_protect: the directories on the way are created and get the metadata of the
    // source's.
    private CopyLayout withParents(ByteString directory, List<Placed> placed) throws CopyRefusedException {
        Map<ByteString, SelectedPaths> selections = new LinkedHashMap<>();
        Map<ByteString, ByteString> roots = new LinkedHashMap<>();
        for (Placed one : placed) {
            Place place = withParents(directory, one.source, one.target);
            ByteString other = roots.putIfAbsent(place.target, place.root);
            if (other != null && !other.equals(place.root)) {
                throw new CopyRefusedException("'" + other + "' and '" + place.root + "' would both become '"
                        + place.target + "'; copy one after the other");
            }
            selections.computeIfAbsent(place.target, t -> SelectedPaths.following()).add(place.path);
        }
        List<CopyPair> pairs = new ArrayList<>();
        selections.forEach((target, selection) -> pairs
                .add(new CopyPair(Root.of(Objects.requireNonNull(roots.get(target)), selection), target)));
        return new CopyLayout(pairs, unplaced, notices);
    }

    private static Place withParents(ByteString directory, ByteString source, ByteString target) {
        List<ByteString> names = UserPath.names(source);
        if (names.isEmpty()) {
            return new Place(source, target, TreePath.root());
        }
        ByteString first = names.getFirst();
        TreePath path = TreePath.root();
        for (ByteString name : names.subList(1, names.size())) {
            path = path.child(name.toBytes());
        }
        boolean isAbsolute = source.at(0) == '/';
        return new Place(isAbsolute ? UserPath.join(ByteString.of("/"), first) : first, UserPath.join(directory, first),
                path);
    }

    private CopyLayout layout(List<Placed> placed) throws CopyRefusedException {
        Optional<SelectedPaths> selection = arguments.selection();
        if (selection.isPresent() && (placed.size() != 1 || placed.getFirst().status.kind() != EntryKind.DIRECTORY)) {
            throw new CopyRefusedException("a list of paths needs exactly one source, which is a directory");
        }
        List<CopyPair> pairs = new ArrayList<>();
        for (Placed one : placed) {
            pairs.add(new CopyPair(selection.isPresent() ? Root.of(one.source, selection.get()) : Root.of(one.source),
                    one.target));
        }
        return new CopyLayout(pairs, unplaced, notices);
    }
}
