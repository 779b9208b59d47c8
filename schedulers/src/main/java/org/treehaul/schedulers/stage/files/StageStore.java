// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.files;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileId;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.core.storage.TargetTree;
import org.treehaul.schedulers.stage.LocalSegments;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.tree.Placement;

/** A stage, as one side of a copy between stores. Thread-safe; each thread opens its own trees. */
public final class StageStore {

    private final Stage stage;
    private final Map<String, StageServer> servers = new HashMap<>();
    private final List<String> names;
    private final Placement placement;
    private final int copies;
    private final AtomicBoolean isMissing = new AtomicBoolean();
    private final Commits commits;

    private StageStore(Stage stage, int copies) {
        this.stage = stage;
        this.copies = copies;
        List<StageServer> known = stage.catalogue().servers();
        known.forEach(server -> servers.put(server.name(), server));
        this.names = known.stream()
                .filter(server -> server.state() == StageServer.State.ACTIVE)
                .map(StageServer::name)
                .toList();
        this.placement = new Placement(names);
        this.commits = new Commits(stage);
    }

    /**
     * Returns the store of a stage, which the caller closes afterwards.
     *
     * @throws StageException if the stage has no servers
     */
    public static StageStore of(Stage stage) throws StageException {
        return of(stage, 0);
    }

    /**
     * Returns the store of a stage, which the caller closes afterwards.
     *
     * @param copies the number of copies of each segment of new files; 0 for that of the file that is replaced, 1 if
     *        there is none
     * @throws StageException if the stage has no servers
     */
    public static StageStore of(Stage stage, int copies) throws StageException {
        StageStore store = new StageStore(stage, copies);
        if (store.servers.isEmpty()) {
            throw new StageException("stage " + stage.catalogue().stage(),
                    "it has no servers; 'treehaul stage in' makes a stage", 0);
        }
        return store;
    }

    /**
     * Opens an entry, and everything below it, for reading.
     *
     * @param base the path of the entry; empty for the whole stage
     */
    public SourceTree source(ByteString base) {
        return new StageSourceTree(this, base);
    }

    /**
     * Opens an entry, and everything below it, for writing, whether or not it exists.
     *
     * @param base the path of the entry; empty for the whole stage
     * @param options which metadata the entries keep
     * @param process the owner of new entries that do not keep theirs, and the file mode creation mask
     * @param notices receives a message when copies could not be written, once for all trees of this store
     */
    public TargetTree target(ByteString base, CopyOptions options, ProcessStatus process, Consumer<String> notices) {
        return new StageTargetTree(this, base, options, process, notices);
    }

    /** Returns the directories of this host that have segments of the stage. */
    public Set<FileId> ownDirectories(FileSystemCalls calls) {
        Set<FileId> own = new HashSet<>();
        try (FileAccess access = FileAccess.open(calls)) {
            for (StageServer server : servers.values()) {
                addDirectory(server, calls, access, own);
            }
        }
        return own;
    }

    private static void addDirectory(StageServer server, FileSystemCalls calls, FileAccess access, Set<FileId> own) {
        try (LocalSegments _ = LocalSegments.open(calls, server)) {
            own.add(FileId.of(access.status(LinuxConstants.AT_FDCWD, access.name(server.directory().toBytes()))));
        } catch (StageException | SystemCallException elsewhere) {
            // This host does not have it, or it cannot be used: no copy finds it.
            return;
        }
    }

    /** Returns the status of an entry; empty if there is none, and nothing below it. The top is always there. */
    public Optional<FileStatus> find(ByteString path) {
        return StageSourceTree.status(stage.catalogue(), path);
    }

    Stage stage() {
        return stage;
    }

    Placement placement() {
        return placement;
    }

    Commits commits() {
        return commits;
    }

    /**
     * Checks that there are servers for the copies of new files.
     *
     * @throws StageException if there are fewer that take new segments
     */
    public void checkCopies() throws StageException {
        checkServers(copies, "");
    }

    private void checkServers(int wanted, String reason) throws StageException {
        if (wanted > names.size()) {
            throw new StageException("stage " + stage.catalogue().stage(),
                    reason + wanted + " copies need " + wanted + " servers that take new segments, and there "
                            + (names.size() == 1 ? "is" : "are") + " only " + names.size() + " ("
                            + String.join(", ", names)
                            + "): add some with 'treehaul stage servers', or ask for fewer with --copies",
                    0);
        }
    }

    /**
     * Returns the number of copies of a new file.
     *
     * @throws StageException if fewer servers take new segments
     */
    int copies(@Nullable StagedFile replaced) throws StageException {
        if (copies == 0 && replaced != null && replaced.kind() == EntryKind.REGULAR) {
            checkServers(replaced.copies(), "as those of the file that is replaced, ");
            return replaced.copies();
        }
        checkCopies();
        return Math.max(1, copies);
    }

    /** Says once that copies of a new file missed writes, if some did. */
    void tell(StagedFile file, Consumer<String> notices) {
        if (!file.stale().isEmpty() && !isMissing.getAndSet(true)) {
            notices.accept("copies of some files could not be written, first " + stage.catalogue().display(file.path())
                    + " (segment@server " + file.stale() + "): 'treehaul stage repair' builds them");
        }
    }

    /** Returns the names of the servers that take new segments, in order. */
    List<String> servers() {
        return names;
    }

    /** Returns the host of a server; its name if the stage does not have it any more. */
    String hostOf(String server) {
        StageServer known = servers.get(server);
        return known == null ? server : known.host();
    }

    /**
     * Returns whether a server is reached through the network, so that writing it takes time that is free for others.
     */
    boolean isRemote(String server) {
        StageServer known = servers.get(server);
        return known != null && !known.address().isEmpty();
    }

    /** Returns the path in the stage of a path below an entry. */
    static ByteString join(ByteString base, TreePath path) {
        return path.isRoot() ? base : StagedFile.join(base, ByteString.of(path.toBytes()));
    }

    /** Returns a failure of the stage in the form of the file layer. */
    static SystemCallException failure(StageException e) {
        String words = e.operation() + " (" + e.subject() + ")";
        // The absence of a server would be taken for that of an entry, which has vanished then.
        return e.errno() == Errno.ENOENT
                ? new SystemCallException(words + ": " + Errno.describe(e.errno()), 0)
                : new SystemCallException(words, e.errno());
    }
}
