// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The changes of entries that are or become complete: new paths, sizes, marks and places. Each is one transaction,
 * which is refused if the entry is not as the client knows it. Thread-safe.
 */
final class EntryChanges {

    private final CatalogueSpace space;
    private final CatalogueSpace.EntryTemplates templates;
    private final CatalogueSpace.Ways ways;

    EntryChanges(CatalogueSpace space, CatalogueSpace.EntryTemplates templates) {
        this.space = space;
        this.templates = templates;
        this.ways = new CatalogueSpace.Ways(templates);
    }

    private String display(ByteString path) {
        return templates.display(path);
    }

    /** As {@link Catalogue#commit}. */
    List<StagedFile> commit(List<StagedFile> entries) throws StageException {
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
                if (within.count(templates.complete().equal("path", file.path())) > 0) {
                    return false;
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
            Template<StagedFile> intents = templates.all().equal("state", StagedState.INTENT).in("id", files.keySet());
            if (within.remove(intents) < files.size()) {
                throw new StageException(
                        display(files.values().iterator().next().path())
                                + (files.size() == 1 ? "" : ", or another file"),
                        "commit: the file was removed while it was made, or another process made it too", Errno.ESTALE);
            }
        }
        List<StagedFile> written = new ArrayList<>(paths.values());
        written.addAll(ways.implied(within, paths, "commit"));
        for (StagedFile before : within.takeAll(templates.named().in("path", paths.keySet()), Integer.MAX_VALUE)) {
            StagedFile after = Objects.requireNonNull(paths.get(before.path()));
            if (after.kind() != EntryKind.DIRECTORY && ways.isDirectory(within, before)) {
                throw new StageException(display(before.path()), "commit", Errno.EISDIR);
            }
            if (before.state() != StagedState.IMPLIED) {
                replaced.add(before);
            }
        }
        within.writeAll(written, Lease.FOREVER);
    }

    /** As {@link Catalogue#forgetImplied}. */
    void forgetImplied(ByteString path) {
        space.atomically(within -> {
            if (within.count(CatalogueSpace.EntryTemplates.within(templates.complete(), path)) == 0) {
                within.remove(CatalogueSpace.EntryTemplates.within(templates.implied(), path));
            }
            return null;
        });
    }

    private void checkGood(StagedFile marked, int segment) {
        if (marked.good(segment).isEmpty()) {
            throw new Refused(new StageException(display(marked.path()),
                    "no other copy of segment " + segment + " is complete", Errno.EIO));
        }
    }

    // Writes the entry that gets a free path.
    private void writeFree(TupleOperations within, StagedFile entry) {
        try {
            if (within.count(CatalogueSpace.EntryTemplates.within(templates.complete(), entry.path())) > 0) {
                throw new StageException(display(entry.path()), "rename", Errno.EEXIST);
            }
            List<StagedFile> written = new ArrayList<>(ways.implied(within, Map.of(entry.path(), entry), "rename"));
            within.remove(templates.implied().equal("path", entry.path()));
            written.add(entry);
            within.writeAll(written, Lease.FOREVER);
        } catch (StageException e) {
            throw new Refused(e);
        }
    }

    /** As {@link Catalogue#closed}. */
    StagedFile closed(StagedFile opened, long size, Timestamp mtime) throws StageException {
        StagedFile closed = space.atomically(within -> {
            List<StagedFile> found = within.takeAll(templates.same(opened), 1);
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
        return change(file, change, path, size, now -> now);
    }

    /**
     * As {@link #change(StagedFile, StagedState, ByteString, long)}, with marks of copies in the same step: no client
     * can write without a copy that is marked before the file has its next generation.
     *
     * @throws StageException EIO if no copy of a segment is left that missed nothing
     */
    StagedFile change(StagedFile file, StagedState change, ByteString path, long size, UnaryOperator<StagedFile> marks)
            throws StageException {
        try {
            StagedFile next = space.atomically(within -> {
                List<StagedFile> found = within.takeAll(templates.same(file), 1);
                if (found.isEmpty()) {
                    return null;
                }
                StagedFile now = marks.apply(found.getFirst());
                for (int i = 0; !now.equals(found.getFirst()) && i < now.segments(); i++) {
                    checkGood(now, i);
                }
                boolean isEmptied = change == StagedState.TRUNCATING && size == 0;
                StagedFile changing = (isEmptied ? now.withoutData() : now).next(change, path,
                        change == StagedState.TRUNCATING ? size : now.size());
                if (path.equals(file.path())) {
                    within.write(changing);
                } else {
                    writeFree(within, changing);
                }
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
                List<StagedFile> found = within.takeAll(templates.same(file), 1);
                if (found.isEmpty()) {
                    return null;
                }
                StagedFile now = found.getFirst().withStale(segment, server);
                checkGood(now, segment);
                within.write(now);
                return now;
            });
            return present(marked, file, "write");
        } catch (Refused e) {
            throw e.reason;
        }
    }

    /**
     * Records that no copy of a segment has all of a collective write.
     *
     * @param file the file as the client knows it
     * @return the file as the client knows it, with all marks of the catalogue; without a new one if it was removed,
     *         renamed, truncated or repaired since then, so that the client cannot write to it
     */
    StagedFile incomplete(StagedFile file, int segment) {
        StagedFile marked = space.atomically(within -> {
            List<StagedFile> found = within.takeAll(templates.same(file), 1);
            if (found.isEmpty()) {
                return null;
            }
            StagedFile now = found.getFirst().withIncomplete(segment);
            within.write(now);
            return now;
        });
        return marked == null ? file : marked;
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
            List<StagedFile> found = within.takeAll(templates.same(repairing), 1);
            if (found.isEmpty()) {
                return false;
            }
            // Without this, a server that was drained since then would get a copy that its drain does not see.
            Set<String> added = new HashSet<>(List.of(after.servers().split(",", -1)));
            List.of(found.getFirst().servers().split(",", -1)).forEach(added::remove);
            boolean isRefused = !added.isEmpty() && within.count(templates.closed(added)) > 0;
            within.write((isRefused ? found.getFirst() : after).in(StagedState.COMMITTED));
            return !isRefused;
        });
    }

    /** As {@link Catalogue#placed}. */
    boolean placed(StagedFile file) {
        return space.atomically(within -> {
            List<StagedFile> found = within.takeAll(templates.same(file), 1);
            found.forEach(one -> within.write(one.placed()));
            return !found.isEmpty();
        });
    }

    /** As {@link Catalogue#saved}. */
    void saved(Collection<StagedFile> copied) {
        Map<UUID, StagedFile> byId = copied.stream()
                .filter(entry -> !entry.isSaved())
                .collect(Collectors.toMap(StagedFile::id, entry -> entry, (one, other) -> one));
        if (byId.isEmpty()) {
            return;
        }
        space.atomically(within -> {
            List<StagedFile> now = within.takeAll(templates.all().in("id", byId.keySet()), Integer.MAX_VALUE);
            within.writeAll(
                    now.stream().map(entry -> entry.equals(byId.get(entry.id())) ? entry.saved(true) : entry).toList(),
                    Lease.FOREVER);
            return null;
        });
    }

    /**
     * Records that the segments of a file have its new generation, after a truncation the one after it. Another process
     * may have done so already.
     */
    StagedFile changed(StagedFile changing) {
        StagedFile done = space.atomically(within -> {
            List<StagedFile> found = within.takeAll(templates.same(changing), 1);
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
                if (within.takeAll(templates.same(entry), 1).isEmpty()) {
                    return null;
                }
                StagedFile now = entry.at(path);
                writeFree(within, now);
                return now;
            });
            present(moved, entry, "rename");
        } catch (Refused e) {
            throw e.reason;
        }
    }
}
