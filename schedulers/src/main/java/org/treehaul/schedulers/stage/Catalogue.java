// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
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

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.SpaceOptions;
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

    private final CatalogueSpace space;
    private final String stage;
    private final CatalogueSpace.EntryTemplates templates;
    private final EntryChanges changes;

    private Catalogue(CatalogueSpace space, String stage) {
        this.space = space;
        this.stage = stage;
        this.templates = new CatalogueSpace.EntryTemplates(stage);
        this.changes = new EntryChanges(space, templates);
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

    /** Returns what changes entries. */
    EntryChanges changes() {
        return changes;
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
     * Adds a server under the first name that is free, a prefix and a number, unless the stage has one with the same
     * id, which keeps its name. Other processes may add servers at the same time.
     */
    @Internal
    public StageServer addNumbered(String prefix, StageServer server) throws StageException {
        while (true) {
            Set<String> names = servers().stream().map(StageServer::name).collect(Collectors.toSet());
            int number = 1;
            while (names.contains(prefix + number)) {
                number++;
            }
            try {
                return add(server.named(prefix + number));
            } catch (StageException e) {
                if (e.errno() != Errno.EEXIST) {
                    throw e;
                }
                // Another process has just taken the name.
            }
        }
    }

    /**
     * Checks that a server that is to be added has no segments of another catalogue. To each of two catalogues the
     * segments of the other are orphans, which a check removes.
     *
     * @param opener connects to the server, unless a stage of this catalogue has it
     * @throws StageException EEXIST if it has segments, and no stage of this catalogue has it
     */
    @Internal
    public void checkOwn(StageServer server, SegmentsOpener opener) throws StageException {
        try (Stream<StageServer> known = space.contents(Template.of(StageServer.class).equal("id", server.id()))) {
            if (known.findAny().isPresent()) {
                return;
            }
        }
        boolean[] hasSegments = {false};
        try (Segments segments = opener.open(server)) {
            segments.list(segment -> hasSegments[0] = true);
        }
        if (hasSegments[0]) {
            throw new StageException(server.display(),
                    "the directory has segments of another catalogue: use that one (--space), or another directory; if "
                            + "no catalogue needs them, remove the directory first",
                    Errno.EEXIST);
        }
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
     * Gives a server another state. To {@code DRAINED} only if it is draining and no entry names it any more, also none
     * that is being made.
     *
     * @return whether the server has the state now
     */
    public boolean change(StageServer server, StageServer.State state) {
        Template<StageServer> same = Template.of(StageServer.class).equal("stage", stage).equal("id", server.id());
        return space.atomically(within -> {
            // In this step: a server that was taken back, and is drained again, has taken segments in between.
            if (state == StageServer.State.DRAINED) {
                try (Stream<StagedFile> left = using(within.contents(templates.regular()), server.name())) {
                    if (left.findAny().isPresent()) {
                        return false;
                    }
                }
            }
            List<StageServer> before = within.takeAll(state == StageServer.State.DRAINED
                    ? same.in("state", Set.of(StageServer.State.DRAINING, StageServer.State.DRAINED))
                    : same, Integer.MAX_VALUE);
            before.forEach(one -> within.write(one.in(state)));
            return !before.isEmpty();
        });
    }

    /** Returns the regular files, complete or not, that name a server. The caller closes the stream. */
    public Stream<StagedFile> using(String server) {
        return using(space.contents(templates.regular()), server);
    }

    private static Stream<StagedFile> using(Stream<StagedFile> files, String server) {
        return files.filter(file -> List.of(file.servers().split(",", -1)).contains(server));
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
            try (Stream<StageServer> all = within.contents(templates.closed(used))) {
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

    /**
     * Gives entries their paths: the intents of regular files become complete files, in one step for all. Directories
     * and symbolic links need no intent.
     *
     * @param entries complete entries with different paths
     * @return the entries that had the paths before; the caller removes the segments of the regular files among them
     * @throws StageException ESTALE if an intent is gone, ENOTDIR if a path leads through a file, EISDIR if another
     *         entry would replace a directory, even an empty one, or one without an entry of its own; nothing is
     *         changed then
     */
    public List<StagedFile> commit(List<StagedFile> entries) throws StageException {
        return changes.commit(entries);
    }

    private List<StagedFile> list(Template<StagedFile> template) {
        try (Stream<StagedFile> found = space.contents(template)) {
            return found.toList();
        }
    }

    /** Returns the entry with a path; empty if there is none, or its file is still being made. */
    public Optional<StagedFile> find(ByteString path) {
        return list(templates.complete().equal("path", path)).stream().findFirst();
    }

    /** Returns the entries of these ids, in any state. */
    public List<StagedFile> withIds(Collection<UUID> ids) {
        return ids.isEmpty() ? List.of() : list(templates.all().in("id", ids));
    }

    /** Returns the entries of these ids, in any state and of any stage in the space: stages may share servers. */
    @Internal
    public List<StagedFile> ofAnyStage(Collection<UUID> ids) {
        return ids.isEmpty() ? List.of() : list(CatalogueSpace.EntryTemplates.ofAnyStage().in("id", ids));
    }

    /**
     * Returns the complete entries at and below a path, a directory before its content. The caller closes the stream.
     *
     * @param path the path; empty for all entries of the stage
     */
    public Stream<StagedFile> below(ByteString path, boolean contentFirst) {
        Order order = Order.by("path");
        return space
                .contents(CatalogueSpace.EntryTemplates.within(templates.complete(), path),
                        contentFirst ? order.descending() : order, Long.MAX_VALUE)
                .filter(entry -> entry.path().length() > 0);
    }

    /**
     * Returns the entries of directories below a path, and at it, each after those of its content. The caller closes
     * the stream.
     */
    @Internal
    public Stream<StagedFile> directories(ByteString path) {
        return space.contents(
                CatalogueSpace.EntryTemplates.within(templates.complete().equal("kind", EntryKind.DIRECTORY), path),
                Order.by("path").descending(), Long.MAX_VALUE);
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
        Template<StagedFile> later = from.length() == 0
                ? templates.complete()
                : templates.complete().atLeast("path", from);
        try (Stream<StagedFile> page = space.contents(CatalogueSpace.EntryTemplates.within(later, path),
                Order.by("path"), most)) {
            return page.toList();
        }
    }

    /** Returns whether there is a complete entry at or below a path. */
    public boolean isAnythingAt(ByteString path) {
        try (Stream<StagedFile> one = space.contents(CatalogueSpace.EntryTemplates.within(templates.complete(), path),
                Order.by("path"), 1)) {
            return one.findAny().isPresent();
        }
    }

    /** Returns the files at and below a path that are being made. The caller closes the stream. */
    public Stream<StagedFile> intents(ByteString path) {
        return space.contents(
                CatalogueSpace.EntryTemplates.within(templates.all().equal("state", StagedState.INTENT), path));
    }

    /**
     * Records the size and the time of a file that a client closes. A larger size that another client has recorded
     * since then stays: within a generation, no file becomes smaller.
     *
     * @param opened the file as the client knows it
     * @throws StageException ESTALE if it was removed, renamed or truncated since then
     */
    public StagedFile closed(StagedFile opened, long size, Timestamp mtime) throws StageException {
        return changes.closed(opened, size, mtime);
    }

    /**
     * Records that a file names only the servers that have its segments.
     *
     * @return whether it is recorded; false if the file was removed, renamed, truncated or repaired since then
     */
    public boolean placed(StagedFile file) {
        return changes.placed(file);
    }

    /**
     * Records that entries were copied out. One that has changed since it was read stays as it is.
     *
     * @param copied the entries as the catalogue had them when they were opened
     */
    public void saved(Collection<StagedFile> copied) {
        changes.saved(copied);
    }

    /**
     * Returns the files and symbolic links at and below a path that are in the stage only: they were made or changed
     * since they were staged in or copied out. The caller closes the stream.
     */
    public Stream<StagedFile> unsaved(ByteString path) {
        return below(path, false).filter(entry -> !entry.isSaved() && entry.kind() != EntryKind.DIRECTORY);
    }

    /**
     * Removes an entry, complete or not. The caller removes its segments afterwards.
     *
     * @return whether this call removed it
     */
    public boolean remove(StagedFile entry) {
        return !space.takeAll(templates.byId(entry.id())).isEmpty();
    }

    /**
     * Removes the entries of these ids, complete or not; the caller has removed their segments, or removes them now.
     */
    public void forget(Collection<UUID> ids) {
        if (!ids.isEmpty()) {
            space.remove(templates.all().in("id", ids));
        }
    }

    /**
     * Removes those of some entries that are still at their paths, and are still being made if they were then. A file
     * that was renamed or closed in the meantime stays. The caller removes the segments of those that are gone.
     *
     * @param entries as the catalogue had them: all complete, or all being made
     * @return those that are gone, as they were at last, in the same order
     */
    @Internal
    public List<StagedFile> removeUnmoved(List<StagedFile> entries) {
        Template<StagedFile> same = entries.stream().anyMatch(entry -> entry.state() == StagedState.INTENT)
                ? templates.all().equal("state", StagedState.INTENT)
                : templates.complete();
        Map<UUID, StagedFile> gone = space
                .takeAll(same.in("id", entries.stream().map(StagedFile::id).collect(Collectors.toSet()))
                        .in("path", entries.stream().map(StagedFile::path).collect(Collectors.toSet())))
                .stream()
                .collect(Collectors.toMap(StagedFile::id, entry -> entry));
        return entries.stream().map(StagedFile::id).distinct().map(gone::get).filter(Objects::nonNull).toList();
    }

    /** Returns a path for messages: the name of the stage, a colon and the path. */
    public String display(ByteString path) {
        return templates.display(path);
    }

    /** Forgets that paths at and below a path are directories by their content, unless there is an entry. */
    @Internal
    public void forgetImplied(ByteString path) {
        changes.forgetImplied(path);
    }

    @Override
    public void close() {
        space.close();
    }
}
