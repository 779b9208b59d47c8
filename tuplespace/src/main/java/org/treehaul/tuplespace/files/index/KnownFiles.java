// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The index's files of one directory with their hashes. Reads those of a small directory at once, and queries those of
 * a large one by name.
 */
final class KnownFiles {

    /** Room for about a thousand files, so that many directories can hold theirs at the same time. */
    private static final long MOST = 1 << 19;

    private final TupleOperations tuples;
    private final Place place;
    private final ByteString root;
    private final AtomicBoolean isKeptOut;
    private final @Nullable Map<ByteString, FileTuple> files;
    private final long weight;

    private KnownFiles(TupleOperations tuples, Place place, ByteString root, AtomicBoolean isKeptOut,
            @Nullable Map<ByteString, FileTuple> files, long weight) {
        this.tuples = tuples;
        this.place = place;
        this.root = root;
        this.isKeptOut = isKeptOut;
        this.files = files;
        this.weight = weight;
    }

    /**
     * Reads the files of a directory from the index.
     *
     * @param root absolute path of the directory's root
     * @param isKeptOut set to true when the space is locked for readers until the end of this run
     */
    static KnownFiles read(TupleOperations tuples, Place place, ByteString root, AtomicBoolean isKeptOut) {
        KnownFiles asking = new KnownFiles(tuples, place, root, isKeptOut, null, 0);
        return asking.read(asking.inside(), new KnownFiles(tuples, place, root, isKeptOut, Map.of(), 0), found -> {
            Map<ByteString, FileTuple> files = new HashMap<>();
            long weight = 0;
            while (found.hasNext()) {
                FileTuple file = found.next();
                if (file.hash() != null) {
                    files.put(file.name(), file.in(ByteString.empty()));
                    weight += GatheredDirectory.weight(file);
                    if (weight > MOST) {
                        return asking;
                    }
                }
            }
            return new KnownFiles(tuples, place, root, isKeptOut, files, weight);
        });
    }

    private Template<FileTuple> inside() {
        return Template.of(FileTuple.class).equal(FileField.DIRECTORY.label(), place.whole(root));
    }

    private interface Reading<R> {
        R read(Iterator<FileTuple> found);
    }

    // Without a write-ahead log, large changes lock readers out until the end: the run then hashes files again.
    private <R> R read(Template<FileTuple> template, R nothing, Reading<R> reading) {
        if (isKeptOut.get()) {
            return nothing;
        }
        try (Stream<FileTuple> stream = tuples.contents(template)) {
            return reading.read(stream.iterator());
        } catch (SpaceException e) {
            if (e.reason() != SpaceException.Reason.BUSY) {
                throw e;
            }
            isKeptOut.set(true);
            return nothing;
        }
    }

    /** Returns the index's tuple of a file, without its directory; null if unknown. */
    @Nullable FileTuple get(ByteString name) {
        if (files != null) {
            return files.get(name);
        }
        Template<FileTuple> named = inside().equal(FileField.NAME.label(), name);
        Optional<FileTuple> known = read(named, Optional.empty(),
                found -> found.hasNext() ? Optional.of(found.next()) : Optional.empty());
        return known.orElse(null);
    }

    /** Returns the approximate bytes of memory that it takes. */
    long weight() {
        return weight;
    }

    /** Returns an instance that holds no files and queries each by name. */
    KnownFiles forget() {
        return new KnownFiles(tuples, place, root, isKeptOut, null, 0);
    }
}
