// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The names of a stage: its servers and its entries, as tuples in a space. It is asked to open, close, rename and
 * remove, never to read or write data.
 * <p>
 * Thread-safe. Methods throw {@link SpaceException} if the space does not answer; a change is then made as a whole or
 * not at all.
 */
public final class Catalogue implements AutoCloseable {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Template<StagedFile> FILES = Template.of(StagedFile.class);

    private final CatalogueSpace space;
    private final String stage;

    private Catalogue(CatalogueSpace space, String stage) {
        this.space = space;
        this.stage = stage;
    }

    /** Returns whether a text can be the name of a stage: 1 to 64 letters, digits, dots, hyphens and underscores. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /**
     * Opens the catalogue of a stage; makes the space if it is absent.
     *
     * @throws IllegalArgumentException if the name has another form, see {@link #isName}, or the space is in
     *         partitions, where two clients could give one path to two files
     */
    public static Catalogue open(SpaceUri uri, String stage) {
        return of(TupleSpaces.open(whole(uri), options()), stage, isDurable(uri));
    }

    /** Opens the catalogue of a stage in a space that exists; otherwise as {@link #open}. */
    public static Catalogue openExisting(SpaceUri uri, String stage) {
        return of(TupleSpaces.openExisting(whole(uri), options()), stage, isDurable(uri));
    }

    // A transaction sees one partition, so a path that is taken in another one would be given twice.
    private static SpaceUri whole(SpaceUri uri) {
        if (uri.scheme().equals(SpaceUri.PARTITIONS)) {
            throw new IllegalArgumentException("the catalogue of a stage cannot be in partitions");
        }
        return uri;
    }

    private static boolean isDurable(SpaceUri uri) {
        return !uri.scheme().equals(SpaceUri.MEMORY);
    }

    /** Returns the options of a space for catalogues. */
    public static SpaceOptions options() {
        return SpaceOptions.defaults()
                .patience(PATIENCE)
                .index(StagedFile.class, "path")
                .index(StagedFile.class, "id")
                .index(StageServer.class, "stage");
    }

    /** Returns the catalogue of a stage in an open space, which {@link #close} closes. */
    public static Catalogue of(TupleSpace space, String stage) {
        // It may be in memory.
        return of(space, stage, false);
    }

    private static Catalogue of(TupleSpace space, String stage, boolean isDurable) {
        if (!isName(stage)) {
            space.close();
            throw new IllegalArgumentException("no name of a stage: " + ByteString.printable(stage)
                    + "; it needs 1 to 64 letters, digits, dots, hyphens and underscores");
        }
        return new Catalogue(new CatalogueSpace(space, isDurable), stage);
    }

    /** Returns the name of the stage. */
    public String stage() {
        return stage;
    }

    /** Returns the servers in the order of their names. */
    public List<StageServer> servers() {
        try (Stream<StageServer> all = space.contents(Template.of(StageServer.class).equal("stage", stage))) {
            return all.sorted(Comparator.comparing(StageServer::name)).toList();
        }
    }

    /**
     * Adds a server, unless the stage has one with the same id or name.
     *
     * @return the server that the stage has: the given one, or that with the same id, with the given place
     * @throws StageException EEXIST if another server has the name
     */
    public StageServer add(StageServer server) throws StageException {
        StageServer known = space.atomically(within -> {
            Template<StageServer> same = Template.of(StageServer.class).equal("stage", stage).equal("id", server.id());
            List<StageServer> before = within.takeAll(same, Integer.MAX_VALUE);
            StageServer kept = before.isEmpty()
                    ? server
                    : new StageServer(stage, before.getFirst().name(), server.host(), server.id(), server.directory(),
                            server.address(), before.getFirst().state());
            boolean isTaken = within
                    .count(Template.of(StageServer.class).equal("stage", stage).equal("name", kept.name())) > 0;
            if (isTaken) {
                return null;
            }
            within.write(kept);
            return kept;
        });
        if (known == null) {
            throw new StageException("server " + server.name(),
                    "the stage " + stage + " has another server of this name", Errno.EEXIST);
        }
        return known;
    }

    /**
     * Returns the names of the servers that take new segments, in order.
     */
    public List<String> activeServers() {
        return servers().stream()
                .filter(server -> server.state() == StageServer.State.ACTIVE)
                .map(StageServer::name)
                .toList();
    }

    /**
     * Gives a server another state. To {@code DRAINED} only if no entry names it any more, also none that is being
     * made.
     *
     * @return whether the server has the state now
     */
    public boolean change(StageServer server, StageServer.State state) {
        Template<StageServer> same = Template.of(StageServer.class).equal("stage", stage).equal("id", server.id());
        if (state == StageServer.State.DRAINED) {
            try (Stream<StagedFile> left = using(server.name())) {
                if (left.findAny().isPresent()) {
                    return false;
                }
            }
        }
        // No file names it, and none can from now on: it takes nothing since it is DRAINING.
        return space.atomically(within -> {
            List<StageServer> before = within.takeAll(same, Integer.MAX_VALUE);
            before.forEach(one -> within.write(one.in(state)));
            return !before.isEmpty();
        });
    }

    /** Returns the regular files, complete or not, that name a server. The caller closes the stream. */
    public Stream<StagedFile> using(String server) {
        return space.contents(all().equal("kind", EntryKind.REGULAR))
                .filter(file -> List.of(file.servers().split(",", -1)).contains(server));
    }

    private Template<StagedFile> all() {
        return FILES.equal("stage", stage);
    }

    private Template<StagedFile> byId(UUID id) {
        return all().equal("id", id);
    }

    /**
     * Records that files are about to be made: their segments are looked for if their maker dies.
     *
     * @throws StageException EROFS if one of their servers takes nothing new; nothing is recorded then
     */
    public void begin(Collection<StagedFile> intents) throws StageException {
        for (StagedFile intent : intents) {
            if (intent.state() != StagedState.INTENT || !intent.stage().equals(stage)) {
                throw new IllegalArgumentException("no intent of this stage: " + intent);
            }
        }
        Set<String> used = intents.stream()
                .flatMap(intent -> Stream.of(intent.servers().split(",", -1)))
                .collect(Collectors.toSet());
        StageServer refusing = space.atomically(within -> {
            List<StageServer> found;
            try (Stream<StageServer> all = within.contents(closed(used))) {
                found = all.toList();
            }
            if (found.isEmpty()) {
                within.writeAll(intents, Lease.FOREVER);
                return null;
            }
            return found.getFirst();
        });
        if (refusing != null) {
            throw new StageException(refusing.display(),
                    "the server is " + refusing.state().name().toLowerCase(Locale.ROOT) + ", and takes no new segments",
                    Errno.EROFS);
        }
    }

    private Template<StageServer> closed(Set<String> names) {
        return Template.of(StageServer.class)
                .equal("stage", stage)
                .in("name", names)
                .in("state", Set.of(StageServer.State.DRAINING, StageServer.State.DRAINED, StageServer.State.LOST));
    }

    /**
     * Gives entries their paths: the intents of regular files become complete files, in one step for all. Directories
     * and symbolic links need no intent.
     *
     * @param entries complete entries with different paths
     * @return the entries that had the paths before; the caller removes the segments of the regular files among them
     * @throws StageException ESTALE if an intent is gone, ENOTDIR if a path leads through a file, EISDIR if a file
     *         would replace a directory with entries; nothing is changed then
     */
    public List<StagedFile> commit(List<StagedFile> entries) throws StageException {
        List<StagedFile> replaced = new ArrayList<>();
        try {
            space.atomically(within -> {
                replaced.clear();
                try {
                    commit(within, entries, replaced);
                } catch (StageException e) {
                    throw new Refused(e);
                }
                return null;
            });
        } catch (Refused e) {
            throw e.reason;
        }
        return replaced;
    }

    /**
     * Gives the intent of a regular file its path, unless another entry has it.
     *
     * @return whether it has the path
     * @throws StageException ESTALE if the intent is gone, ENOTDIR if the path leads through a file, EISDIR if there
     *         are entries below it
     */
    boolean commitNew(StagedFile file) throws StageException {
        try {
            return space.atomically(within -> {
                if (within.count(complete().equal("path", file.path())) > 0) {
                    return false;
                }
                if (within.count(complete().prefix("path", below(file.path()))) > 0) {
                    throw new Refused(new StageException(display(file.path()), "create", Errno.EISDIR));
                }
                try {
                    commit(within, List.of(file), new ArrayList<>());
                } catch (StageException e) {
                    throw new Refused(e);
                }
                return true;
            });
        } catch (Refused e) {
            throw e.reason;
        }
    }

    /** Takes a refusal through a transaction, which it ends. */
    private static final class Refused extends RuntimeException {

        private static final long serialVersionUID = 1L;
        private final transient StageException reason;

        Refused(StageException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    private void commit(TupleOperations within, List<StagedFile> entries, List<StagedFile> replaced)
            throws StageException {
        Map<UUID, StagedFile> files = entries.stream()
                .filter(entry -> entry.kind() == EntryKind.REGULAR)
                .collect(Collectors.toMap(StagedFile::id, entry -> entry));
        Map<ByteString, StagedFile> paths = new HashMap<>();
        entries.forEach(entry -> paths.put(entry.path(), entry));
        if (!files.isEmpty()) {
            Template<StagedFile> intents = all().equal("state", StagedState.INTENT).in("id", files.keySet());
            Set<UUID> found = within.takeAll(intents, Integer.MAX_VALUE)
                    .stream()
                    .map(StagedFile::id)
                    .collect(Collectors.toSet());
            for (StagedFile file : files.values()) {
                if (!found.contains(file.id())) {
                    throw new StageException(display(file.path()),
                            "commit: the file was removed while it was made, or another process made it too",
                            Errno.ESTALE);
                }
            }
        }
        checkWays(within, paths.keySet(), "commit");
        for (StagedFile before : within.takeAll(complete().in("path", paths.keySet()), Integer.MAX_VALUE)) {
            StagedFile after = Objects.requireNonNull(paths.get(before.path()));
            if (before.kind() == EntryKind.DIRECTORY && after.kind() != EntryKind.DIRECTORY
                    && within.count(complete().prefix("path", below(before.path()))) > 0) {
                throw new StageException(display(before.path()), "commit", Errno.EISDIR);
            }
            replaced.add(before);
        }
        within.writeAll(List.copyOf(paths.values()), Lease.FOREVER);
    }

    private void checkWays(TupleOperations within, Set<ByteString> paths, String operation) throws StageException {
        Set<ByteString> ways = new HashSet<>();
        paths.forEach(path -> addAncestors(path, ways));
        for (StagedFile way : ways.isEmpty() ? List.<StagedFile>of() : list(within, complete().in("path", ways))) {
            if (way.kind() != EntryKind.DIRECTORY) {
                throw new StageException(display(way.path()), operation + " of an entry below it", Errno.ENOTDIR);
            }
        }
    }

    private void checkFree(TupleOperations within, ByteString path) {
        try {
            if (within.count(within(complete(), path)) > 0) {
                throw new StageException(display(path), "rename", Errno.EEXIST);
            }
            checkWays(within, Set.of(path), "rename");
        } catch (StageException e) {
            throw new Refused(e);
        }
    }

    private List<StagedFile> list(Template<StagedFile> template) {
        try (Stream<StagedFile> found = space.contents(template)) {
            return found.toList();
        }
    }

    private static List<StagedFile> list(TupleOperations within, Template<StagedFile> template) {
        try (Stream<StagedFile> found = within.contents(template)) {
            return found.toList();
        }
    }

    private Template<StagedFile> complete() {
        return all().in("state",
                Set.of(StagedState.COMMITTED, StagedState.RENAMING, StagedState.TRUNCATING, StagedState.REPAIRING));
    }

    private static ByteString below(ByteString path) {
        return path.plus(ByteString.of("/"));
    }

    private static void addAncestors(ByteString path, Set<ByteString> into) {
        for (int i = path.length() - 1; i > 0; i--) {
            if (path.at(i) == '/' && !into.add(ByteString.of(path.toBytes(), 0, i))) {
                return;
            }
        }
    }

    /** Returns the entry with a path; empty if there is none, or its file is still being made. */
    public Optional<StagedFile> find(ByteString path) {
        return list(complete().equal("path", path)).stream().findFirst();
    }

    /** Returns the entries of these ids, in any state. */
    public List<StagedFile> withIds(Collection<UUID> ids) {
        return ids.isEmpty() ? List.of() : list(all().in("id", ids));
    }

    /**
     * Returns the complete entries at and below a path, a directory before its content. The caller closes the stream.
     *
     * @param path the path; empty for all entries of the stage
     */
    public Stream<StagedFile> below(ByteString path, boolean contentFirst) {
        Order order = Order.by("path");
        return space.contents(within(complete(), path), contentFirst ? order.descending() : order, Long.MAX_VALUE)
                .filter(entry -> entry.path().length() > 0);
    }

    /**
     * Returns the first complete entries at and below a path from another path on, in the order of paths.
     *
     * @param path the path; empty for all entries of the stage
     * @param from the least path
     * @param most the largest number of entries, 1 or more
     */
    @Internal
    public List<StagedFile> page(ByteString path, ByteString from, int most) {
        Template<StagedFile> later = from.length() == 0 ? complete() : complete().atLeast("path", from);
        try (Stream<StagedFile> page = space.contents(within(later, path), Order.by("path"), most)) {
            return page.toList();
        }
    }

    /** Returns whether there is a complete entry at or below a path. */
    public boolean isAnythingAt(ByteString path) {
        try (Stream<StagedFile> one = space.contents(within(complete(), path), Order.by("path"), 1)) {
            return one.findAny().isPresent();
        }
    }

    /** Returns the files at and below a path that are being made. The caller closes the stream. */
    public Stream<StagedFile> intents(ByteString path) {
        return space.contents(within(all().equal("state", StagedState.INTENT), path));
    }

    private static Template<StagedFile> within(Template<StagedFile> entries, ByteString path) {
        return path.length() == 0
                ? entries
                : Template.ofAny(StagedFile.class,
                        List.of(entries.equal("path", path), entries.prefix("path", below(path))));
    }

    /**
     * Records the size and the time of a file that a client closes. A larger size that another client has recorded
     * since then stays: within a generation, no file becomes smaller.
     *
     * @param opened the file as the client knows it
     * @throws StageException ESTALE if it was removed, renamed or truncated since then
     */
    public StagedFile closed(StagedFile opened, long size, Timestamp mtime) throws StageException {
        StagedFile closed = space.atomically(within -> {
            List<StagedFile> found = within.takeAll(same(opened), 1);
            if (found.isEmpty()) {
                return null;
            }
            StagedFile now = found.getFirst().with(Math.max(found.getFirst().size(), size), mtime).saved(false);
            within.write(now);
            return now;
        });
        return present(closed, opened, "close");
    }

    private StagedFile present(@Nullable StagedFile found, StagedFile opened, String operation) throws StageException {
        if (found == null) {
            throw new StageException(display(opened.path()),
                    operation + ": the file was removed, renamed, truncated or made anew", Errno.ESTALE);
        }
        return found;
    }

    private Template<StagedFile> same(StagedFile file) {
        return byId(file.id()).equal("generation", file.generation()).equal("state", file.state());
    }

    /**
     * Begins to give a file another path, or the same one and another size. {@link Stage} gives its segments the new
     * generation and calls {@link #changed}.
     *
     * @param size the size after a truncation; any other change keeps the one that was recorded last, perhaps since the
     *        caller read the entry
     * @return the file in its next generation
     * @throws StageException ESTALE if it was removed, renamed or truncated since then, EEXIST if the path is in use,
     *         ENOTDIR if it leads through a file
     */
    StagedFile change(StagedFile file, StagedState change, ByteString path, long size) throws StageException {
        try {
            StagedFile next = space.atomically(within -> {
                List<StagedFile> found = within.takeAll(same(file), 1);
                if (found.isEmpty()) {
                    return null;
                }
                if (!path.equals(file.path())) {
                    checkFree(within, path);
                }
                StagedFile now = found.getFirst();
                StagedFile changing = now.next(change, path, change == StagedState.TRUNCATING ? size : now.size());
                within.write(changing);
                return changing;
            });
            return present(next, file, change.name().toLowerCase(Locale.ROOT));
        } catch (Refused e) {
            throw e.reason;
        }
    }

    /**
     * Records that the copy of a segment on a server missed a write: no client that opens the file from now on reads
     * it.
     *
     * @param file the file as the client knows it
     * @return the file as the client knows it, with all marks of the catalogue
     * @throws StageException ESTALE if it was removed, renamed, truncated or repaired since then; EIO if no copy of the
     *         segment is left that missed nothing
     */
    StagedFile missed(StagedFile file, int segment, String server) throws StageException {
        try {
            StagedFile marked = space.atomically(within -> {
                List<StagedFile> found = within.takeAll(same(file), 1);
                if (found.isEmpty()) {
                    return null;
                }
                StagedFile now = found.getFirst().withStale(segment, server);
                if (now.good(segment).isEmpty()) {
                    throw new Refused(new StageException(display(file.path()),
                            "no other copy of segment " + segment + " is complete", Errno.EIO));
                }
                within.write(now);
                return now;
            });
            return present(marked, file, "write");
        } catch (Refused e) {
            throw e.reason;
        }
    }

    /**
     * Ends the rebuilding or the move of copies.
     *
     * @param repairing the file as {@link #change} returned it
     * @param after the file with its copies
     * @return whether it is recorded; false if the file was removed, renamed, or opened to write since then, or a
     *         server that gets a copy takes no new segments any more: the copies of the file are where they were then
     */
    boolean repaired(StagedFile repairing, StagedFile after) {
        return space.atomically(within -> {
            List<StagedFile> found = within.takeAll(same(repairing), 1);
            if (found.isEmpty()) {
                return false;
            }
            // Without this, a server that was drained since then would get a copy that its drain does not see.
            Set<String> added = new HashSet<>(List.of(after.servers().split(",", -1)));
            List.of(found.getFirst().servers().split(",", -1)).forEach(added::remove);
            boolean isRefused = !added.isEmpty() && within.count(closed(added)) > 0;
            within.write((isRefused ? found.getFirst() : after).in(StagedState.COMMITTED));
            return !isRefused;
        });
    }

    /**
     * Records that a file names only the servers that have its segments.
     *
     * @return whether it is recorded; false if the file was removed, renamed, truncated or repaired since then
     */
    public boolean placed(StagedFile file) {
        return space.atomically(within -> {
            List<StagedFile> found = within.takeAll(same(file), 1);
            found.forEach(one -> within.write(one.placed()));
            return !found.isEmpty();
        });
    }

    /**
     * Records that entries were copied out. One that has changed since it was read stays as it is.
     *
     * @param copied the entries as the catalogue had them when they were opened
     */
    public void saved(Collection<StagedFile> copied) {
        Map<UUID, StagedFile> byId = copied.stream()
                .filter(entry -> !entry.isSaved())
                .collect(Collectors.toMap(StagedFile::id, entry -> entry, (one, other) -> one));
        if (byId.isEmpty()) {
            return;
        }
        space.atomically(within -> {
            List<StagedFile> now = within.takeAll(all().in("id", byId.keySet()), Integer.MAX_VALUE);
            within.writeAll(
                    now.stream().map(entry -> entry.equals(byId.get(entry.id())) ? entry.saved(true) : entry).toList(),
                    Lease.FOREVER);
            return null;
        });
    }

    /**
     * Returns the files and symbolic links at and below a path that are in the stage only: they were made or changed
     * since they were staged in or copied out. The caller closes the stream.
     */
    public Stream<StagedFile> unsaved(ByteString path) {
        return below(path, false).filter(entry -> !entry.isSaved() && entry.kind() != EntryKind.DIRECTORY);
    }

    /**
     * Records that the segments of a file have its new generation, after a truncation the one after it. Another process
     * may have done so already.
     */
    StagedFile changed(StagedFile changing) {
        StagedFile done = space.atomically(within -> {
            List<StagedFile> found = within.takeAll(same(changing), 1);
            if (found.isEmpty()) {
                return null;
            }
            // With the marks that other clients have set since then.
            StagedFile now = end(found.getFirst());
            within.write(now);
            return now;
        });
        return done == null ? end(changing) : done;
    }

    private static StagedFile end(StagedFile changing) {
        return changing.state() == StagedState.TRUNCATING
                ? changing.next(StagedState.COMMITTED, changing.path(), changing.size())
                : changing.in(StagedState.COMMITTED);
    }

    /**
     * Gives an entry that has no segments another path.
     *
     * @throws StageException ESTALE if it is gone, EEXIST if the path is in use, ENOTDIR if it leads through a file
     */
    void move(StagedFile entry, ByteString path) throws StageException {
        try {
            StagedFile moved = space.atomically(within -> {
                if (within.takeAll(same(entry), 1).isEmpty()) {
                    return null;
                }
                checkFree(within, path);
                StagedFile now = entry.at(path);
                within.write(now);
                return now;
            });
            present(moved, entry, "rename");
        } catch (Refused e) {
            throw e.reason;
        }
    }

    /**
     * Removes an entry, complete or not. The caller removes its segments afterwards.
     *
     * @return whether this call removed it
     */
    public boolean remove(StagedFile entry) {
        return !space.takeAll(byId(entry.id())).isEmpty();
    }

    /**
     * Removes the entries of these ids, complete or not; the caller has removed their segments, or removes them now.
     */
    public void forget(Collection<UUID> ids) {
        if (!ids.isEmpty()) {
            space.remove(all().in("id", ids));
        }
    }

    /** Returns a path for messages: the name of the stage, a colon and the path. */
    public String display(ByteString path) {
        return stage + ":" + path;
    }

    @Override
    public void close() {
        space.close();
    }
}
