// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.places.FilePlaces;
import org.treehaul.core.places.PlacedFile;
import org.treehaul.core.plan.spool.ScratchDirectory;
import org.treehaul.core.state.Host;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedPath;
import org.treehaul.tuplespace.store.SpaceException;

/** The files of a stage for a transfer. Their paths are {@code stage:NAME/PATH}. */
final class StagePlaces implements FilePlaces {

    private final Stage stage;
    private final Runnable closing;
    // Null until a path is needed: the process that plans may be on another host.
    private @Nullable NodeFiles here;

    /**
     * Creates an object that closes the stage.
     *
     * @param closing what else is to be closed
     */
    StagePlaces(Stage stage, Runnable closing) {
        this.stage = stage;
        this.closing = closing;
    }

    @Override
    public void list(List<ByteString> roots, boolean isDivided, FileQuery where, Consumer<PlacedFile> action)
            throws IOException {
        try {
            List<StageServer> servers = NodeFiles.withSegments(stage);
            if (servers.isEmpty()) {
                throw new StageException("stage " + stage.catalogue().stage(), "there is none of this name", 0);
            }
            List<ByteString> tops = roots.stream().map(StagePlaces::path).toList();
            Set<ByteString> outermost = new HashSet<>(StagedPath.outermost(tops));
            for (int root = 0; root < tops.size(); root++) {
                ByteString top = tops.get(root);
                // The files of a root below another one, or equal to it, belong to that one.
                boolean isAny = outermost.remove(top)
                        ? list(root, top, isDivided, where, servers, action)
                        : stage.catalogue().isAnythingAt(top);
                if (!isAny && top.length() > 0) {
                    throw new StageException(stage.catalogue().display(top), "there is no such entry in the stage", 0);
                }
            }
        } catch (SpaceException | StageException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private boolean list(int root, ByteString top, boolean isDivided, FileQuery where, List<StageServer> servers,
            Consumer<PlacedFile> action) {
        Map<String, String> hosts = servers.stream().collect(Collectors.toMap(StageServer::name, StageServer::host));
        boolean isAny = false;
        try (Stream<StagedFile> all = stage.catalogue().below(top, false)) {
            for (StagedFile file : (Iterable<StagedFile>) all::iterator) {
                isAny = true;
                if (file.kind() == EntryKind.REGULAR && where.matches(new StagedValues(file))) {
                    action.accept(new PlacedFile(root, below(file.path(), top), identity(file), file.size(),
                            file.mtime(), parts(file, isDivided, hosts, servers.getFirst().host())));
                }
            }
        }
        return isAny;
    }

    private static List<PlacedFile.Part> parts(StagedFile file, boolean isDivided, Map<String, String> hosts,
            String otherwise) {
        List<PlacedFile.Part> parts = new ArrayList<>();
        if (!isDivided) {
            parts.add(new PlacedFile.Part(hosts(NodeFile.whole(file), hosts, otherwise), file.size()));
            return parts;
        }
        for (int i = 0; i < file.segments(); i++) {
            NodeFile one = new NodeFile(file, i);
            // A file below a row of stripes has segments without data.
            if (i == 0 || one.length() > 0) {
                parts.add(new PlacedFile.Part(hosts(one, hosts, otherwise), one.length()));
            }
        }
        return parts;
    }

    // One host handles the files that only a lost server has, and reports them.
    private static List<String> hosts(NodeFile file, Map<String, String> hosts, String otherwise) {
        List<String> found = file.servers().stream().filter(hosts::containsKey).map(hosts::get).distinct().toList();
        return found.isEmpty() ? List.of(otherwise) : found;
    }

    // Another file under the same path has another id.
    private static long identity(StagedFile file) {
        UUID id = file.id();
        return id.getMostSignificantBits() ^ id.getLeastSignificantBits();
    }

    /** Returns the path in the stage of a path {@code stage:NAME/PATH}. */
    private static ByteString path(ByteString given) {
        int slash = 0;
        while (slash < given.length() && given.at(slash) != '/') {
            slash++;
        }
        return StagedPath.of(ByteString.of(given.toBytes(), slash, given.length()));
    }

    private static TreePath below(ByteString path, ByteString top) {
        int from = top.length() == 0 ? 0 : Math.min(path.length(), top.length() + 1);
        return from == path.length()
                ? TreePath.root()
                : TreePath.of(ByteString.of(path.toBytes(), from, path.length()).toBytes());
    }

    @Override
    public Place open(ByteString path, long identity, long size, int part) throws SystemCallException {
        try {
            StagedFile file = stage.catalogue()
                    .find(path(path))
                    .orElseThrow(() -> new SystemCallException("find in the stage", Errno.ENOENT));
            if (file.kind() != EntryKind.REGULAR || identity(file) != identity || file.size() != size) {
                throw new SystemCallException("compare with the plan", Errno.ESTALE);
            }
            NodeFile one = part == WHOLE ? NodeFile.whole(file) : new NodeFile(file, part);
            return new Opened(here().name(one), one);
        } catch (StageException e) {
            throw new SystemCallException(e.operation(), e.errno());
        } catch (SpaceException e) {
            throw new SystemCallException("ask the catalogue: " + e.getMessage(), 0);
        }
    }

    private synchronized NodeFiles here() throws StageException {
        NodeFiles known = here;
        if (known == null) {
            known = NodeFiles.open(Linux.calls(), stage, Host.nameOr("localhost"),
                    ScratchDirectory.parent().toAbsolutePath());
            here = known;
        }
        return known;
    }

    private record Opened(NodeFiles.Name name, NodeFile file) implements Place {

        @Override
        public ByteString path() {
            return name.path();
        }

        @Override
        public int parts() {
            return file.file().segments();
        }

        @Override
        public long offset() {
            return file.offset();
        }

        @Override
        public long length() {
            return file.length();
        }

        @Override
        public void close() {
            name.close();
        }
    }

    @Override
    public synchronized void close() {
        try {
            if (here != null) {
                here.end()
                        .ifPresent(directory -> LoggerFactory.getLogger(StagePlaces.class)
                                .warn("the commands have left files in {}: move what you need, and remove it",
                                        directory));
            }
        } finally {
            stage.close();
            closing.run();
        }
    }
}
