// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.DurableFiles;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleCodec;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Reads and writes snapshots: files of tuples. A file has a magic number, a version, types and tuples in the order in
 * which they occur, the number of tuples, and a CRC-32C over everything before it. A rename gives it its name when all
 * of it is on disk.
 */
final class Snapshot {
    private static final int MAGIC = 0x54485453;
    private static final int VERSION = 1;
    private static final int END = 0;
    private static final int TYPE = 1;
    private static final int TUPLE = 2;
    private static final int CHUNK = 1000;
    /** Lease of a load's transaction: a load whose process dies is undone after this time, in milliseconds. */
    private static final long LOAD_LEASE = Duration.ofMinutes(10).toMillis();

    private Snapshot() {}

    static long write(Store store, Path file, Template<?> template) {
        Path target = file.toAbsolutePath();
        Path directory = target.getParent();
        if (directory == null) {
            throw new SpaceException(Reason.IO, file + " is not a file");
        }
        try {
            Path temporary = Files.createTempFile(directory, ".snapshot-", ".tmp",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            try {
                long count;
                // Unlike a channel, it stays open when this thread is interrupted.
                try (OutputStream out = Files.newOutputStream(temporary)) {
                    count = write(store, template, out);
                }
                DurableFiles.sync(temporary);
                DurableFiles.rename(temporary, target);
                return count;
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            throw new SpaceException(Reason.IO, "the snapshot " + file + " could not be written: " + e, e);
        }
    }

    private static <T> long write(Store store, Template<T> template, OutputStream to) throws IOException {
        CRC32C checksum = new CRC32C();
        DataOutputStream out = new DataOutputStream(
                new BufferedOutputStream(new CheckedOutputStream(to, checksum), 1 << 16));
        out.writeInt(MAGIC);
        out.writeInt(VERSION);
        Map<Class<?>, Integer> types = new HashMap<>();
        long count = 0;
        // Leases in the file are by the clock by which they are given again.
        long ahead = store.ahead();
        try (var stream = store.contents(template, Optional.empty(), Long.MAX_VALUE, Store.NONE)) {
            for (Iterator<Stored<T>> all = stream.iterator(); all.hasNext(); count++) {
                Stored<T> stored = all.next();
                Record tuple = (Record) stored.tuple();
                TupleType<?> type = TupleType.of(tuple);
                Integer number = types.get(type.recordClass());
                if (number == null) {
                    number = types.size();
                    types.put(type.recordClass(), number);
                    describe(type, out);
                }
                out.writeByte(TUPLE);
                out.writeInt(number);
                out.writeLong(stored.expiresAt() == Store.NEVER ? Store.NEVER : stored.expiresAt() - ahead);
                for (Object value : type.canonical(tuple)) {
                    TupleCodec.write(out, value);
                }
            }
        }
        out.writeByte(END);
        out.writeLong(count);
        out.flush();
        out.writeInt((int) checksum.getValue());
        out.flush();
        return count;
    }

    private static void describe(TupleType<?> type, DataOutputStream out) throws IOException {
        out.writeByte(TYPE);
        out.writeUTF(type.name());
        out.writeInt(type.components().size());
        for (Component component : type.components()) {
            out.writeUTF(component.name());
            out.writeByte(component.kind().number());
        }
    }

    static long read(Store store, InstantSource clock, Path file) {
        try {
            check(file);
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
                return load(store, clock, in);
            }
        } catch (IOException e) {
            throw new SpaceException(Reason.IO, "the snapshot " + file + " could not be read: " + e, e);
        } catch (IllegalArgumentException e) {
            throw new SpaceException(Reason.VERSION, "the snapshot " + file + ": " + e.getMessage(), e);
        }
    }

    /** Verifies the magic number, the version and the checksum before any of the content is used. */
    private static void check(Path file) throws IOException {
        CRC32C checksum = new CRC32C();
        long length = Files.size(file) - Integer.BYTES;
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(file))) {
            DataInputStream in = new DataInputStream(new CheckedInputStream(raw, checksum));
            if (length < 2 * Integer.BYTES || in.readInt() != MAGIC) {
                throw new SpaceException(Reason.DAMAGED, file + " is not a snapshot of a tuple space");
            }
            int version = in.readInt();
            if (version != VERSION) {
                throw new SpaceException(Reason.VERSION,
                        file + " is a snapshot of version " + version + "; this is version " + VERSION);
            }
            in.skipNBytes(length - 2 * Integer.BYTES);
            int computed = (int) checksum.getValue();
            if (in.readInt() != computed) {
                throw new SpaceException(Reason.DAMAGED, file + " is damaged: its checksum is wrong");
            }
        }
    }

    private record Loaded(TupleType<?> type, int kept, List<Integer> places) {}

    private record Leased(Record tuple, long expiresAt) {}

    private static long load(Store store, InstantSource clock, DataInputStream in) throws IOException {
        in.skipNBytes(2 * Integer.BYTES);
        List<Loaded> types = new ArrayList<>();
        long transaction = store.begin(clock.millis() + LOAD_LEASE);
        boolean isDone = false;
        try {
            List<Leased> chunk = new ArrayList<>();
            long count = 0;
            for (int tag = in.readByte(); tag != END; tag = in.readByte()) {
                if (tag == TYPE) {
                    types.add(type(in));
                } else {
                    Loaded type = types.get(in.readInt());
                    long expiresAt = in.readLong();
                    @Nullable Object[] kept = new @Nullable Object[type.kept()];
                    for (int i = 0; i < kept.length; i++) {
                        kept[i] = TupleCodec.read(in);
                    }
                    chunk.add(new Leased(type.type().create(RecordClasses.fit(type.type(), type.places(), kept)),
                            expiresAt));
                    if (++count % CHUNK == 0) {
                        write(store, clock, chunk, transaction);
                    }
                }
            }
            write(store, clock, chunk, transaction);
            isDone = store.commit(transaction);
            if (!isDone) {
                throw new SpaceException(Reason.TRANSACTION_ENDED, "the load took too long and was undone");
            }
            return count;
        } finally {
            if (!isDone) {
                store.abort(transaction);
            }
        }
    }

    private static void write(Store store, InstantSource clock, List<Leased> chunk, long transaction) {
        store.write(chunk.stream().map(Leased::tuple).toList(), chunk.stream().mapToLong(Leased::expiresAt).toArray(),
                transaction);
        chunk.clear();
        store.renewTransaction(transaction, clock.millis() + LOAD_LEASE);
    }

    private static Loaded type(DataInputStream in) throws IOException {
        TupleType<?> type = RecordClasses.find(in.readUTF());
        List<RecordClasses.Kept> kept = new ArrayList<>();
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            kept.add(new RecordClasses.Kept(in.readUTF(), Kind.of(in.readByte())));
        }
        return new Loaded(type, count, RecordClasses.places(type, kept));
    }
}
