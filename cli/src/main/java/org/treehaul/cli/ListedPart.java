// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.KindCounts;

/**
 * What one of several ranks listed of a tree, for the exit code of all.
 *
 * @param entries how many it listed
 * @param failures how many it could not, by kind
 */
record ListedPart(long entries, Map<EntryFailure.Kind, Long> failures) {

    ListedPart {
        failures = Map.copyOf(failures);
    }

    /** Returns that of a session. */
    static ListedPart of(Session session) {
        return new ListedPart(session.progress().snapshot().entries(), session.problems().counts());
    }

    byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(entries);
            KindCounts.write(out, EntryFailure.Kind.values(), failures);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Returns what all parts come to. */
    static ListedPart sum(List<byte[]> parts) {
        long entries = 0;
        Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
        for (byte[] part : parts) {
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(part))) {
                entries += in.readLong();
                KindCounts.read(in, EntryFailure.Kind.values(), failures);
            } catch (IOException e) {
                throw new IllegalArgumentException("not a part of a list: " + part.length + " bytes", e);
            }
        }
        return new ListedPart(entries, failures);
    }
}
