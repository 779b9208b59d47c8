// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.walk.options.RecordReader;

/** The lines of a manifest, sorted by path in bounded memory. */
final class SortedManifest implements AutoCloseable {

    private static final int MOST_REPORTED = 5;

    private final ExternalSort sorted;
    private Optional<ManifestHash> kind = Optional.empty();
    private long malformed;

    /** Creates an instance without lines, which keeps temporary files in a directory. */
    SortedManifest(Path scratch) {
        this.sorted = new ExternalSort(scratch, "manifest", false, ExternalSort.defaultRunBytes());
    }

    /**
     * Reads all lines.
     *
     * @param isWanted selects the paths
     * @param name the name of the manifest in messages
     * @throws IllegalArgumentException if a line is too long for a checksum and a path
     */
    void read(InputStream in, String name, Predicate<TreePath> isWanted, EventListener listener) throws IOException {
        RecordReader lines = new RecordReader(in, '\n', name);
        for (byte @Nullable [] next = lines.next(); next != null; next = lines.next()) {
            byte[] line = ManifestLine.withoutReturn(next);
            if (ManifestLine.isBlank(line)) {
                continue;
            }
            try {
                add(ManifestLine.parse(line), isWanted);
            } catch (IllegalArgumentException e) {
                malformed++;
                if (malformed <= MOST_REPORTED) {
                    listener.onEvent(new Event.Notice(lines.where() + ": " + e.getMessage()));
                }
            }
        }
    }

    private void add(ManifestLine line, Predicate<TreePath> isWanted) throws IOException {
        ManifestHash own = ManifestHash.ofLength(line.hash().length())
                .orElseThrow(() -> new IllegalArgumentException(
                        "a checksum of " + line.hash().length() * 8 + " bits, which is neither SHA-256 nor XXH3-128"));
        if (kind.isEmpty()) {
            kind = Optional.of(own);
        } else if (kind.get() != own) {
            throw new IllegalArgumentException("another kind of checksum than the lines before");
        }
        if (isWanted.test(line.path())) {
            sorted.add(TreeHashes.key(line.path()), line.hash().toBytes());
        }
    }

    /** Returns the kind of hash that the lines contain; empty if there are no lines. */
    Optional<ManifestHash> kind() {
        return kind;
    }

    /** Returns the number of lines that could not be used. */
    long malformed() {
        return malformed;
    }

    ExternalSort.Records open() throws IOException {
        return sorted.open();
    }

    @Override
    public void close() throws IOException {
        sorted.close();
    }
}
