// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.event.EntryFailure;

/**
 * What one of several ranks listed of a tree, for the exit code of all.
 *
 * @param entries how many it listed
 * @param failures how many it could not, by kind
 */
record ListedPart(long entries, Map<EntryFailure.Kind, Long> failures) {

    private static final List<EntryFailure.Kind> KINDS = List.of(EntryFailure.Kind.values());

    ListedPart {
        failures = Map.copyOf(failures);
    }

    /** Returns that of a session. */
    static ListedPart of(Session session) {
        return new ListedPart(session.progress().snapshot().entries(), session.problems().counts());
    }

    byte[] toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate((1 + KINDS.size()) * Long.BYTES).putLong(entries);
        KINDS.forEach(kind -> bytes.putLong(failures.getOrDefault(kind, 0L)));
        return bytes.array();
    }

    /** Returns what all parts come to. */
    static ListedPart sum(List<byte[]> parts) {
        long entries = 0;
        Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
        for (byte[] part : parts) {
            ByteBuffer bytes = ByteBuffer.wrap(part);
            entries += bytes.getLong();
            for (EntryFailure.Kind kind : KINDS) {
                long count = bytes.getLong();
                if (count > 0) {
                    failures.merge(kind, count, Long::sum);
                }
            }
        }
        return new ListedPart(entries, failures);
    }
}
