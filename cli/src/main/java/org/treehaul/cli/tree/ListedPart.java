// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.treehaul.cli.common.Session;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.KindCounts;

/**
 * The entries of a tree that one of several ranks listed, for the exit code of all.
 *
 * @param entries number of entries listed
 * @param failures number of entries that could not be listed, by kind
 */
record ListedPart(long entries, Map<EntryFailure.Kind, Long> failures) {

    ListedPart {
        failures = Map.copyOf(failures);
    }

    /** Returns the part of a session. */
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

    /** Returns the sum of all parts. */
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
