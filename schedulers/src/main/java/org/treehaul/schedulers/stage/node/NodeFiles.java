// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.node;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.servers.OwnHost;
import org.treehaul.schedulers.stage.LocalSegments;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StagedFile;

/**
 * The files of a stage whose data are on one node, under paths that programs can open. A path is a link to the file of
 * a server, with the name that the file has in the stage; a file in several segments is copied for the time of its use.
 * The paths are in a directory that only the user may use, and that {@link #close} removes; that of a process that was
 * killed is removed by the next one that uses the same directory for temporary files. Thread-safe.
 */
@Internal
public final class NodeFiles implements AutoCloseable {

    private static final int PIECE = 1 << 20;

    private final FileSystemCalls calls;
    private final Stage stage;
    private final Path directory;
    private final int lock;
    private boolean isEnded;
    // Those of this node, and those of all nodes.
    private final Map<String, StageServer> servers = new HashMap<>();
    private final List<StageServer> all;
    private final AtomicLong names = new AtomicLong();

    private NodeFiles(FileSystemCalls calls, Stage stage, List<StageServer> all, Path directory, int lock) {
        this.calls = calls;
        this.stage = stage;
        this.all = all;
        this.directory = directory;
        this.lock = lock;
    }

    /**
     * Opens the directories that a node has.
     *
     * @param host the node, by the name that the servers of the stage have for it, with or without its domain
     * @param temporary the directory for temporary files, which has room for copies of files in several segments
     * @throws StageException if the stage has no server on the node, or this is another node
     */
    public static NodeFiles open(FileSystemCalls calls, Stage stage, String host, Path temporary)
            throws StageException {
        Map<String, StageServer> servers = new HashMap<>();
        List<StageServer> all = withSegments(stage);
        for (StageServer server : all) {
            if (OwnHost.isOne(server.host(), host)) {
                // Compares the id of the directory.
                LocalSegments.open(calls, server).close();
                servers.put(server.name(), server);
            }
        }
        if (servers.isEmpty()) {
            throw new StageException("stage " + stage.catalogue().stage(),
                    "it has no server on the node " + ByteString.printable(host), 0);
        }
        try (FileAccess access = FileAccess.open(calls)) {
            NodeSweeper sweeper = new NodeSweeper(access);
            sweeper.sweep(ByteString.of(temporary));
            Path directory;
            int lock;
            do {
                directory = PrivateFiles.makeTemporaryDirectory(temporary, NodeSweeper.PREFIX);
                lock = sweeper.lock(ByteString.of(directory));
            } while (lock < 0);
            NodeFiles files = new NodeFiles(calls, stage, all, directory, lock);
            files.servers.putAll(servers);
            return files;
        } catch (IOException e) {
            throw new StageException(ByteString.of(temporary).toString(), "make a directory: " + PrivateFiles.reason(e),
                    0, e);
        }
    }

    /**
     * Returns the nodes that have servers with segments of a stage, in no order. One that got or lost its domain
     * between two servers has the name of the first.
     */
    public static List<String> hosts(Stage stage) {
        List<String> hosts = new ArrayList<>();
        for (StageServer server : withSegments(stage)) {
            if (hosts.stream().noneMatch(host -> OwnHost.isOne(host, server.host()))) {
                hosts.add(server.host());
            }
        }
        return hosts;
    }

    /** Returns the name that a host has among those of a stage; its own one if it is none of them. */
    public static String nameAmong(List<String> hosts, String host) {
        return hosts.stream().filter(one -> OwnHost.isOne(one, host)).findFirst().orElse(host);
    }

    // The directories of the others may be gone.
    static List<StageServer> withSegments(Stage stage) {
        return stage.catalogue()
                .servers()
                .stream()
                .filter(server -> server.state() != StageServer.State.LOST
                        && server.state() != StageServer.State.DRAINED)
                .toList();
    }

    // One node handles the files that only a lost server has, and reports them.
    private boolean isHere(String server) {
        return servers.containsKey(server) || servers.containsKey(all.getFirst().name())
                && all.stream().noneMatch(one -> one.name().equals(server));
    }

    /**
     * Passes the files at and below a path that are to be handled on this node, in the order of their paths. Each file,
     * or segment, of a stage is handled on one node.
     *
     * @param path the path in the stage; empty for all files
     * @param inSegments whether each segment is handled for itself
     * @param wanted selects regular files
     * @return whether there is any entry at or below the path
     */
    public boolean list(ByteString path, boolean inSegments, Predicate<StagedFile> wanted, Consumer<NodeFile> action) {
        boolean[] isAny = new boolean[1];
        try (Stream<StagedFile> all = stage.catalogue().below(path, false)) {
            all.forEach(file -> {
                isAny[0] = true;
                if (file.kind() != EntryKind.REGULAR || !wanted.test(file)) {
                    return;
                }
                int last = inSegments ? file.segments() - 1 : NodeFile.WHOLE;
                for (int i = inSegments ? 0 : NodeFile.WHOLE; i <= last; i++) {
                    NodeFile one = new NodeFile(file, i);
                    // A file below a row of stripes has segments without data.
                    boolean isEmpty = i > 0 && one.length() == 0;
                    if (!isEmpty && isHere(one.server())) {
                        action.accept(one);
                    }
                }
            });
        }
        return isAny[0];
    }

    /** A path to the data of a file, which exists until it is closed. */
    public final class Name implements AutoCloseable {

        private final ByteString parent;
        private final ByteString path;

        private Name(ByteString parent, ByteString path) {
            this.parent = parent;
            this.path = path;
        }

        /** Returns the path. */
        public ByteString path() {
            return path;
        }

        /** Removes the path, and leaves other files that a program has made beside it. */
        @Override
        public void close() {
            try (FileAccess access = FileAccess.open(calls)) {
                calls.unlinkat(AT_FDCWD, access.name(path.toBytes()), 0);
                calls.unlinkat(AT_FDCWD, access.name(parent.toBytes()), AT_REMOVEDIR);
            } catch (SystemCallException e) {
                // The name is too long for no call: it was made.
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * Makes a path for a file.
     *
     * @throws StageException if its data cannot be read, or there is no room for a copy; there is no path then
     */
    public Name name(NodeFile file) throws StageException {
        ByteString own = last(file.file().path());
        long number = names.getAndIncrement();
        ByteString parent = ByteString.of(directory)
                .plus(ByteString.of("/" + (file.isInOnePlace() ? number : NodeSweeper.nameOfCopy(number, own))));
        ByteString path = parent.plus(ByteString.of("/")).plus(own);
        Name name = new Name(parent, path);
        boolean isMade = false;
        try (FileAccess access = FileAccess.open(calls)) {
            FileAccess.check("mkdir", calls.mkdirat(AT_FDCWD, access.name(parent.toBytes()), 0700));
            if (file.isInOnePlace()) {
                FileAccess.check("symlink", calls.symlinkat(access.name(target(file).toBytes()), AT_FDCWD,
                        access.otherName(path.toBytes())));
            } else {
                copy(file.file(), access, path);
            }
            isMade = true;
            return name;
        } catch (SystemCallException e) {
            throw new StageException(stage.catalogue().display(file.file().path()), e.operation() + " " + path,
                    e.errno(), e);
        } finally {
            if (!isMade) {
                name.close();
            }
        }
    }

    private ByteString target(NodeFile file) throws StageException {
        StageServer server = file.servers()
                .stream()
                .map(servers::get)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (server == null) {
            throw new StageException(stage.catalogue().display(file.file().path()),
                    "segment " + file.place() + " is on server " + file.server() + ", which this node does not have",
                    Errno.ENODEV);
        }
        // A change that was killed halfway is completed: until then the segment may have its name of before.
        try (ParallelFile opened = stage.open(file.file(), false)) {
            SegmentKey key = opened.segment(file.place()).key();
            long size = stage.segments(server.name()).size(key);
            long recorded = file.file().layout().segmentSize(file.place(), file.file().size());
            if (size < recorded) {
                throw new StageException(stage.catalogue().display(file.file().path()), "segment " + file.place()
                        + " on server " + server.name() + " ends at byte " + size + " of " + recorded, Errno.EIO);
            }
            return server.directory().plus(ByteString.of("/" + key.name()));
        }
    }

    private static ByteString last(ByteString path) {
        int slash = path.length() - 1;
        while (slash >= 0 && path.at(slash) != '/') {
            slash--;
        }
        return ByteString.of(path.toBytes(), slash + 1, path.length());
    }

    private void copy(StagedFile file, FileAccess access, ByteString path) throws SystemCallException, StageException {
        int descriptor = access.open(AT_FDCWD, access.name(path.toBytes()), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW,
                0600);
        boolean isWhole = false;
        try (ParallelFile opened = stage.open(file, false)) {
            ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
            MemorySegment memory = MemorySegment.ofBuffer(piece);
            long at = 0;
            for (int n = opened.read(piece, at); n > 0; n = opened.read(piece.clear(), at)) {
                access.writeFully(descriptor, memory.asSlice(0, n), at);
                at += n;
            }
            isWhole = true;
        } finally {
            if (!isWhole) {
                access.closeQuietly(descriptor);
            }
        }
        access.close(descriptor);
    }

    /**
     * Removes the directory of the paths.
     *
     * @return the directory, if programs have left files in it; it remains then
     */
    public synchronized Optional<ByteString> end() {
        try (FileAccess access = FileAccess.open(calls)) {
            ByteString path = ByteString.of(directory);
            if (!isEnded) {
                isEnded = true;
                new NodeSweeper(access).unlock(path, lock);
            }
            int gone = calls.unlinkat(AT_FDCWD, access.name(path.toBytes()), AT_REMOVEDIR);
            return gone == -Errno.ENOTEMPTY || gone == -Errno.EEXIST ? Optional.of(path) : Optional.empty();
        } catch (SystemCallException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        var _ = end();
    }
}
