// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.compare.links.LinkedPaths;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.KindCounts;
import org.treehaul.core.event.Progress;

/** The result of one process in a comparison that several processes share; {@link #sum} combines all parts. */
public final class ComparedPart {

    private final CompareResult result;
    private final LinkedPaths links;

    ComparedPart(CompareResult result, LinkedPaths links) {
        this.result = result;
        this.links = links;
    }

    /** Returns the result of this part, without hard links. */
    public CompareResult result() {
        return result;
    }

    /** Returns this part in a form that {@link #sum} of the same version reads. */
    public byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            Progress.Snapshot counts = result.counts();
            for (long count : new long[]{counts.entries(), counts.files(), counts.directories(), counts.bytes(),
                    counts.verifiedBytes(), counts.skipped(), counts.failures()}) {
                out.writeLong(count);
            }
            KindCounts.write(out, DifferenceKind.values(), result.differences());
            KindCounts.write(out, EntryFailure.Kind.values(), result.failures());
            out.writeBoolean(result.isComplete());
            links.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Combines all parts.
     *
     * @param differences receives the hard links that differ, ordered by path
     * @throws IllegalArgumentException if an element is not a part of a comparison
     */
    public static CompareResult sum(List<byte[]> parts, DifferenceListener differences) {
        long[] counts = new long[7];
        Map<DifferenceKind, Long> found = new EnumMap<>(DifferenceKind.class);
        Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
        LinkedPaths links = new LinkedPaths();
        boolean isComplete = true;
        for (byte[] part : parts) {
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(part))) {
                for (int i = 0; i < counts.length; i++) {
                    counts[i] += in.readLong();
                }
                KindCounts.read(in, DifferenceKind.values(), found);
                KindCounts.read(in, EntryFailure.Kind.values(), failures);
                isComplete &= in.readBoolean();
                links.read(in);
            } catch (IOException e) {
                throw new IllegalArgumentException("not a part of a comparison: " + part.length + " bytes", e);
            }
        }
        links.forEachDifference((path, a, b) -> {
            found.merge(DifferenceKind.HARD_LINKS, 1L, Long::sum);
            differences.onDifference(Difference.of(DifferenceKind.HARD_LINKS, path, a, b));
        });
        return new CompareResult(
                new Progress.Snapshot(counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], counts[6]),
                found, failures, isComplete);
    }
}
