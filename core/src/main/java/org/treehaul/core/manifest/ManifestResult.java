// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

import org.treehaul.core.event.EntryFailure;

/**
 * The result of writing or checking a manifest.
 *
 * @param files the number of files that were hashed
 * @param bytes the number of bytes that were hashed; the data of a file with several names are hashed once
 * @param differences the number of differences of each kind; kinds without differences are left out
 * @param unchecked the number of files in the manifest that could not be checked, because they, or directories on the
 *        way to them, could not be read
 * @param malformed the number of lines of the manifest that could not be used
 * @param failures the number of failed entries of each kind; kinds without failures are left out
 * @param isComplete whether the work ran to its end; if not, no manifest was written, and no difference was reported
 */
public record ManifestResult(long files, long bytes, Map<ManifestDifference.Kind, Long> differences, long unchecked,
        long malformed, Map<EntryFailure.Kind, Long> failures, boolean isComplete) {

    public ManifestResult {
        Map<ManifestDifference.Kind, Long> some = new EnumMap<>(ManifestDifference.Kind.class);
        some.putAll(differences);
        differences = Collections.unmodifiableMap(some);
        Map<EntryFailure.Kind, Long> failed = new EnumMap<>(EntryFailure.Kind.class);
        failed.putAll(failures);
        failures = Collections.unmodifiableMap(failed);
    }

    /** Returns whether something could not be read, so that the result does not cover the whole tree or manifest. */
    public boolean hasTrouble() {
        return !isComplete || unchecked > 0 || malformed > 0 || !failures.isEmpty();
    }

    /** Returns the number of differences. */
    public long differenceCount() {
        return differences.values().stream().mapToLong(Long::longValue).sum();
    }
}
