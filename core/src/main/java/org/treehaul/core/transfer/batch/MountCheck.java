// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.time.KeptTime;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlannedProbe;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.directory.ThisProcess;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.journal.FinishingHistory;

/**
 * Checks whether this node sees the source and the destination that the plan was made for. Used by one thread, except
 * {@link #current()}.
 */
public final class MountCheck implements AutoCloseable {

    private static final String REMEDY = "if it is mounted and only its inode numbers have changed, 'treehaul resume --force' continues";

    private final FileAccess access;
    private final Plan plan;
    private final String finished;
    private final String lacking;
    // The inodes of the directories that contain the sources, once finishing has begun to remove these.
    private final List<String> places;
    private final boolean isTrusted;
    private final boolean isReadOnly;
    private volatile String current = "";

    private MountCheck(FileSystemCalls calls, Plan plan, String finished, String lacking, String removal,
            boolean isTrusted, boolean isReadOnly) {
        this.access = FileAccess.open(calls);
        this.plan = plan;
        this.finished = finished;
        this.lacking = lacking;
        this.places = List.of(removal.lines().findFirst().orElse("").split(",", -1));
        this.isTrusted = isTrusted;
        this.isReadOnly = isReadOnly;
    }

    public static MountCheck of(FileSystemCalls calls, Plan plan, WorkSettings settings, FinishingHistory history)
            throws IOException {
        boolean isTrusted = settings.directory().generations().trustsMounts();
        return settings.verified()
                .map(copy -> new MountCheck(calls, plan, copy.places(), "is not the directory of the copy", "",
                        isTrusted, true))
                .orElseGet(() -> new MountCheck(calls, plan, history.phase(FinishingHistory.TOKEN).orElse(""),
                        "does not contain the file " + plan.header().token() + ", which planning wrote there",
                        history.phase(FinishingHistory.REMOVAL).orElse(""), isTrusted, false));
    }

    /** Returns an instance that can only remove the tokens of a plan. */
    public static MountCheck ofTokens(FileSystemCalls calls, Plan plan) {
        return new MountCheck(calls, plan, "", "", "", false, false);
    }

    /** Returns an instance that examines the destinations of a copy before its tokens are renewed. */
    public static MountCheck ofCopy(FileSystemCalls calls, Plan plan, FinishingHistory history) {
        return new MountCheck(calls, plan, history.phase(FinishingHistory.TOKEN).orElse(""),
                "is not the directory that was planned for the copy", "", false, false);
    }

    /** Returns an instance that identifies destinations by their inodes, because the tokens were removed from them. */
    public static MountCheck ofPlaces(FileSystemCalls calls, Plan plan, String places) {
        return new MountCheck(calls, plan, places, "is not the directory that was planned for the copy", "", false,
                false);
    }

    /**
     * Checks source and destination.
     *
     * @throws WrongMountException if one is not visible; the message names the missing file or directory
     */
    public void check() throws WrongMountException {
        checkSources();
        checkTargets();
    }

    private void checkSources() throws WrongMountException {
        for (int root : new TreeSet<>(plan.probes().stream().map(PlannedProbe::root).toList())) {
            // Some of the probes may have changed or vanished since the walk.
            List<PlannedProbe> probes = plan.probes().stream().filter(probe -> probe.root() == root).toList();
            ByteString source = plan.header().roots().get(root).source();
            if (probes.stream().noneMatch(this::isSeen) && !(isTrusted && isGone(source)) && !isRemoved(root)) {
                throw new WrongMountException("wrong mount: none of the planned entries exist below " + source
                        + " on host " + ThisProcess.host() + ", " + display(probes.getFirst())
                        + " is missing: mount the source there, or exclude this node; if it was deleted, or " + REMEDY);
            }
        }
    }

    // Finishing has removed what it could; it compares each entry again before it removes more.
    private boolean isRemoved(int root) {
        return root < places.size() && !places.get(root).isEmpty()
                && RootCheck.isSeen(access, plan, root, places.get(root), isTrusted);
    }

    // A source that was deleted looks like one that is not mounted, so only the user can know.
    private boolean isGone(ByteString source) {
        try {
            status(source, false);
            return false;
        } catch (SystemCallException e) {
            return RootCheck.isAbsent(e);
        }
    }

    /** Throws if the destination is not visible on this node. */
    public void checkTargets() throws WrongMountException {
        List<ByteString> directories = plan.header().tokenDirectories();
        List<String> finished = finishedInodes();
        for (int i = 0; i < directories.size(); i++) {
            ByteString directory = directories.get(i);
            boolean isRight = find(token(directory)).isPresent() || isFinished(directory, i, finished);
            if (!isRight) {
                throw new WrongMountException("wrong mount: " + directory + " on host " + ThisProcess.host() + " "
                        + lacking + ": mount the destination there, or exclude this node; " + REMEDY);
            }
        }
    }

    /**
     * Throws if a destination is not the directory that was planned and no planned entry exists in it. The journals of
     * an earlier generation must not be trusted then, because what they call copied is not there.
     *
     * @param id the transfer, for the remedy
     */
    public void checkCopied(String id) throws WrongMountException {
        List<ByteString> directories = plan.header().tokenDirectories();
        List<String> finished = finishedInodes();
        for (int i = 0; i < directories.size(); i++) {
            ByteString directory = directories.get(i);
            boolean isPlanned = find(token(directory)).isPresent() || isFinished(directory, i, finished);
            if (!isPlanned && lacksCopy(place(directory))) {
                throw new WrongMountException("wrong mount: " + directory + " on host " + ThisProcess.host() + " "
                        + lacking + ", and no entry of the copy was found there: mount the destination there; if the "
                        + "copy is gone, 'treehaul forget --force " + id + "' and copy again");
            }
        }
    }

    // A root that contains the token exists on any file system that is mounted there, and entries of the copy in other
    // destinations say nothing about this one.
    private boolean lacksCopy(ByteString destination) {
        Set<ByteString> places = plan.header()
                .tokenDirectories()
                .stream()
                .map(MountCheck::place)
                .collect(Collectors.toSet());
        List<PlannedProbe> probes = plan.probes()
                .stream()
                .filter(probe -> isBelow(root(probe).place(), destination))
                .filter(probe -> !(probe.path().isRoot() && places.contains(root(probe).place())))
                .toList();
        return !probes.isEmpty() && probes.stream()
                .map(probe -> probe.path().below(root(probe).target()))
                .noneMatch(path -> find(path).isPresent());
    }

    private PlannedRoot root(PlannedProbe probe) {
        return plan.header().roots().get(probe.root());
    }

    private static ByteString place(ByteString directory) {
        return new PlannedRoot(ByteString.empty(), directory).place();
    }

    private static boolean isBelow(ByteString place, ByteString directory) {
        byte[] path = place.toBytes();
        byte[] start = directory.toBytes();
        return place.equals(directory)
                || path.length > start.length && Arrays.equals(path, 0, start.length, start, 0, start.length)
                        && (start.length == 1 || path[start.length] == '/');
    }

    // After finishing there is no token to check. A copy with trusted mounts has tokens again, but a verification
    // writes none.
    private boolean isFinished(ByteString directory, int index, List<String> finished) {
        Optional<FileStatus> found = find(directory);
        return index < finished.size() && found.isPresent()
                && (found.map(s -> Long.toUnsignedString(s.inode())).equals(Optional.of(finished.get(index)))
                        || isTrusted && isReadOnly && found.get().kind() == EntryKind.DIRECTORY);
    }

    private String display(PlannedProbe probe) {
        return probe.path().below(plan.header().roots().get(probe.root()).source()).toString();
    }

    // Inode numbers are the same on all nodes except for some FUSE file systems that invent them: there the size must
    // suffice.
    private boolean isSeen(PlannedProbe probe) {
        ByteString source = plan.header().roots().get(probe.root()).source();
        ByteString path = probe.path().below(source);
        boolean isFollowed = probe.path().isRoot() && probe.kind() != EntryKind.SYMLINK;
        Optional<FileStatus> found = isFollowed ? findFollowed(path) : find(path);
        return found.isPresent() && EntryKind.isKnown(found.get().mode())
                && (found.get().inode() == probe.inode() || isTrusted && found.get().kind() == probe.kind()
                        || found.get().kind() == probe.kind() && probe.kind() == EntryKind.REGULAR
                                && found.get().size() == probe.size()
                        || probe.path().isRoot() && isReplaced(probe.kind(), found.get().kind()));
    }

    // Where a file system is not mounted, a directory exists in place of a directory. A source of another kind was
    // replaced; its entries fail, and a resume copies what exists now.
    private boolean isReplaced(EntryKind planned, EntryKind now) {
        return now != planned && (now != EntryKind.DIRECTORY || planned == EntryKind.REGULAR || isTrusted);
    }

    private ByteString token(ByteString directory) {
        return TreePath.of(plan.header().token().getBytes(US_ASCII)).below(directory);
    }

    /** Returns the inodes of the directories from which finishing removed the tokens, empty before that. */
    private List<String> finishedInodes() {
        return Arrays.asList(finished.split(",", -1));
    }

    /** Returns the inodes of the token directories in the format that {@link #finishedInodes} reads. */
    public String inodes() throws SystemCallException {
        StringBuilder text = new StringBuilder();
        for (ByteString directory : plan.header().tokenDirectories()) {
            text.append(text.isEmpty() ? "" : ",").append(Long.toUnsignedString(status(directory, false).inode()));
        }
        return text.toString();
    }

    /** Removes the tokens, ignoring those that no longer exist. */
    public void removeTokens() throws SystemCallException {
        for (ByteString directory : plan.header().tokenDirectories()) {
            try {
                int descriptor = LongPath.open(access, directory, O_PATH | O_DIRECTORY);
                try (KeptTime time = KeptTime.of(access, descriptor)) {
                    int result = access.calls()
                            .unlinkat(descriptor, access.name(plan.header().token().getBytes(US_ASCII)), 0);
                    if (result != -Errno.ENOENT) {
                        FileAccess.check("unlink", result);
                        time.restore();
                    }
                } finally {
                    access.closeQuietly(descriptor);
                }
            } catch (SystemCallException e) {
                if (e.errno() != Errno.ENOENT) {
                    throw e;
                }
            }
        }
    }

    private Optional<FileStatus> find(ByteString path) {
        try {
            return Optional.of(status(path, false));
        } catch (SystemCallException e) {
            return Optional.empty();
        }
    }

    private Optional<FileStatus> findFollowed(ByteString path) {
        try {
            return Optional.of(status(path, true));
        } catch (SystemCallException e) {
            return Optional.empty();
        }
    }

    /** Returns the path that was examined last, printable, or the empty string. */
    public String current() {
        return current;
    }

    private FileStatus status(ByteString path, boolean follow) throws SystemCallException {
        current = path.toString();
        return LongPath.status(access, path, follow);
    }

    @Override
    public void close() {
        access.close();
    }
}
