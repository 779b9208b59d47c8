// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/** Encodes canonical values as bytes and decodes them: a tag, then eight bytes, or a length and bytes. */
public final class TupleCodec {
    private static final int ABSENT = 0;
    // The numbers of Kind.
    private static final int INTEGER = 1;
    private static final int REAL = 2;
    private static final int TEXT = 3;
    private static final int BLOB = 4;

    private TupleCodec() {}

    /** Writes a canonical value. */
    public static void write(DataOutputStream out, @Nullable Object canonical) throws IOException {
        switch (canonical) {
            case null -> out.writeByte(ABSENT);
            case Long integer -> {
                out.writeByte(INTEGER);
                out.writeLong(integer);
            }
            case Double real -> {
                out.writeByte(REAL);
                out.writeDouble(real);
            }
            case String text -> sized(out, TEXT, text.getBytes(StandardCharsets.UTF_8));
            case Bytes bytes -> sized(out, BLOB, bytes.array());
            default -> throw new IllegalArgumentException("not a canonical value: " + canonical.getClass());
        }
    }

    private static void sized(DataOutputStream out, int tag, byte[] bytes) throws IOException {
        out.writeByte(tag);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /** Reads a canonical value. */
    public static @Nullable Object read(DataInputStream in) throws IOException {
        int tag = in.readUnsignedByte();
        return switch (tag) {
            case ABSENT -> null;
            case INTEGER -> in.readLong();
            case REAL -> in.readDouble();
            case TEXT -> new String(sized(in), StandardCharsets.UTF_8);
            case BLOB -> Bytes.wrap(sized(in));
            default -> throw new StreamCorruptedException("not a tag of a value: " + tag);
        };
    }

    private static byte[] sized(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0) {
            throw new StreamCorruptedException("length " + length);
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new StreamCorruptedException("ends within a value");
        }
        return bytes;
    }

    /** Encodes the values of a tuple, without its type. */
    public static Bytes encode(TupleType<?> type, Record tuple) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (Object value : type.canonical(tuple)) {
                write(out, value);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Bytes.wrap(bytes.toByteArray());
    }

    /** Decodes a tuple that {@link #encode} encoded. */
    public static <T extends Record> T decode(TupleType<T> type, Bytes bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.array()))) {
            @Nullable Object[] values = new @Nullable Object[type.components().size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = read(in);
            }
            return type.create(values);
        } catch (IOException e) {
            throw new IllegalArgumentException("these are not values of " + type.name(), e);
        }
    }
}
