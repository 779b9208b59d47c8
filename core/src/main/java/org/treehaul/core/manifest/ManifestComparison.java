// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import java.io.IOException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.plan.spool.ExternalSort;

/** Compares a sorted manifest with the sorted hashes of a tree. Used by one thread. */
final class ManifestComparison {

    private final Consumer<ManifestDifference> listener;
    private final Map<ManifestDifference.Kind, Long> differences = new EnumMap<>(ManifestDifference.Kind.class);
    private long unchecked;

    // The highest directory that could not be read completely, or the entry that could not be read, if any.
    private byte @Nullable [] unreadable;
    // The last directory whose content is left out, if any.
    private byte @Nullable [] elsewhere;

    ManifestComparison(Consumer<ManifestDifference> listener) {
        this.listener = listener;
    }

    void compare(ExternalSort.Records manifest, ExternalSort.Records tree) throws IOException {
        boolean hasLine = manifest.advance();
        boolean hasEntry = tree.advance();
        while (hasLine || hasEntry) {
            int order = !hasLine ? 1 : !hasEntry ? -1 : Arrays.compareUnsigned(manifest.key(), tree.key());
            if (order < 0) {
                onlyListed(manifest.key());
                hasLine = manifest.advance();
            } else if (order > 0) {
                onlyFound(tree.key(), tree.content());
                hasEntry = tree.advance();
            } else if (tree.content().length == 0 || isElsewhere(tree.content())) {
                // A directory may have further records and a line; the line is decided after all its records.
                onlyFound(tree.key(), tree.content());
                hasEntry = tree.advance();
            } else {
                byte[] key = manifest.key();
                byte[] found = tree.content();
                while (hasLine && Arrays.equals(manifest.key(), key)) {
                    both(key, manifest.content(), found);
                    hasLine = manifest.advance();
                }
                hasEntry = tree.advance();
            }
        }
    }

    private void onlyListed(byte[] key) {
        if (unreadable != null && TreeHashes.isWithin(key, unreadable)) {
            unchecked++;
        } else if (elsewhere == null || !TreeHashes.isWithin(key, elsewhere)) {
            differs(ManifestDifference.Kind.MISSING, key);
        }
    }

    private void onlyFound(byte[] key, byte[] content) {
        if (content.length == 0) {
            unreadable = unreadable != null && TreeHashes.isWithin(key, unreadable) ? unreadable : key;
        } else if (isElsewhere(content)) {
            elsewhere = key;
        } else if (content.length > 1) {
            differs(ManifestDifference.Kind.EXTRA, key);
        }
    }

    private static boolean isElsewhere(byte[] content) {
        return content.length == TreeHashes.ELSEWHERE.length;
    }

    private void both(byte[] key, byte[] listed, byte[] found) {
        if (found.length == 1) {
            differs(ManifestDifference.Kind.KIND, key);
        } else if (!Arrays.equals(listed, found)) {
            differs(ManifestDifference.Kind.CONTENT, key);
        }
    }

    private void differs(ManifestDifference.Kind kind, byte[] key) {
        differences.merge(kind, 1L, Long::sum);
        listener.accept(new ManifestDifference(kind, TreeHashes.path(key)));
    }

    Map<ManifestDifference.Kind, Long> differences() {
        return differences;
    }

    long unchecked() {
        return unchecked;
    }
}
