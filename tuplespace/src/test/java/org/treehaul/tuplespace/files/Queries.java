// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.tuplespace.TupleSpace;

/** Templates and tuples for tests, at noon of 21 November 2026 in Berlin. */
public final class Queries {

    static final Clock NOON = Clock.fixed(Instant.parse("2026-11-21T11:00:00Z"), ZoneId.of("Europe/Berlin"));

    /** The mtime of any file is midnight of the first of June 2025. */
    static final ConditionContext CONTEXT = new ConditionContext(new KnownAccounts(), NOON,
            file -> new Timestamp(1_748_736_000, 0), true);

    /** A file of alice, of 1 GiB, last changed in the first second of 2025 in Berlin. */
    static final FileTuple FILE = tuple("/scratch/run7/raw.h5", EntryKind.REGULAR, 1L << 30, "2024-12-31T23:00:00.5Z",
            0644, null);

    private Queries() {}

    /** Parses conditions, in which each character is a byte. */
    public static FileQuery parse(String... conditions) {
        return FileQuery.parse(Stream.of(conditions).map(Queries::bytes).toList(), CONTEXT);
    }

    public static ByteString bytes(String characters) {
        return ByteString.of(characters.getBytes(StandardCharsets.ISO_8859_1));
    }

    static FileTuple tuple(String path, EntryKind kind, long size, String mtime, int mode, @Nullable String target) {
        ByteString whole = bytes(path);
        Instant time = Instant.parse(mtime);
        long nanos = Timestamp.sinceEpoch(time.getEpochSecond(), time.getNano());
        return new FileTuple(FileTuple.directoryOf(whole), FileTuple.nameOf(whole), kind, size, size / 512, nanos,
                nanos, nanos, null, mode, 1000, 200, 1, 12, 34, target == null ? null : bytes(target), null, false, 3);
    }

    /** Opens the index in a space that is open already. */
    public static FileIndex index(TupleSpace space) {
        return new FileIndex(space);
    }

    /** Returns a file of which only the path matters. */
    static FileTuple at(String path) {
        return tuple(path, EntryKind.REGULAR, 0, "2025-06-01T00:00:00Z", 0644, null);
    }
}
