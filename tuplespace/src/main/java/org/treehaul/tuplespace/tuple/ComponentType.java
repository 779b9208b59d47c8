// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Converts the values of a class of components to canonical form and back.
 *
 * @param kind kind of the canonical values
 * @param toCanonical converts a value to its canonical form
 * @param fromCanonical converts a canonical form to the value
 * @param isImmutable whether values can be shared instead of copied
 * @param isOrdered whether the order of canonical forms is meaningful
 */
record ComponentType(Kind kind, Function<Object, Object> toCanonical, Function<Object, Object> fromCanonical,
        boolean isImmutable, boolean isOrdered) {

    private static final Map<Class<?>, ComponentType> TYPES = new ConcurrentHashMap<>();
    /** Failures after which no further codecs are looked for. */
    private static final int MOST_FAILURES = 100;
    /** The reasons why codecs of other jars cannot be used. */
    private static final List<Throwable> FAILURES = new ArrayList<>();

    static {
        integer(boolean.class, Boolean.class, value -> (Boolean) value ? 1L : 0L, value -> value != 0);
        integer(byte.class, Byte.class, value -> (long) (Byte) value, value -> (byte) value.longValue());
        integer(short.class, Short.class, value -> (long) (Short) value, value -> (short) value.longValue());
        integer(char.class, Character.class, value -> (long) (Character) value, value -> (char) value.longValue());
        integer(int.class, Integer.class, value -> (long) (Integer) value, value -> (int) value.longValue());
        integer(long.class, Long.class, value -> value, value -> value);
        real(float.class, Float.class, value -> real((Float) value), value -> (float) (double) (Double) value);
        real(double.class, Double.class, value -> real((Double) value), value -> value);
        TYPES.put(String.class, new ComponentType(Kind.TEXT, ComponentType::text, value -> value, true, true));
        TYPES.put(Bytes.class, new ComponentType(Kind.BLOB, value -> value, value -> value, true, true));
        TYPES.put(byte[].class, new ComponentType(Kind.BLOB, value -> Bytes.of((byte[]) value),
                value -> ((Bytes) value).toArray(), false, true));
        TYPES.put(Instant.class,
                new ComponentType(Kind.BLOB, value -> instant((Instant) value), ComponentType::instant, true, true));
        TYPES.put(UUID.class, new ComponentType(Kind.BLOB, ComponentType::uuid, ComponentType::uuidFrom, true, true));
        loadCodecs();
    }

    // A codec that cannot be loaded must not hide the others, of which some belong to this jar.
    private static void loadCodecs() {
        Iterator<?> codecs = ServiceLoader.load(ComponentCodec.class, ComponentCodec.class.getClassLoader()).iterator();
        while (FAILURES.size() < MOST_FAILURES) {
            try {
                if (!codecs.hasNext()) {
                    return;
                }
                ComponentCodec<?> codec = (ComponentCodec<?>) codecs.next();
                TYPES.put(codec.type(), coded(codec));
            } catch (ServiceConfigurationError | LinkageError e) {
                FAILURES.add(e);
            }
        }
    }

    private static IllegalArgumentException unsupported(Class<?> type) {
        String failures = FAILURES.stream()
                .map(one -> "; a codec cannot be loaded: " + one)
                .collect(Collectors.joining());
        return new IllegalArgumentException(type.getName() + " cannot be a component: those are primitives and "
                + "their boxes, String, byte[], Bytes, enums, Instant, UUID, records of these, and classes with a "
                + ComponentCodec.class.getName() + failures);
    }

    /**
     * Returns the component type of a class.
     *
     * @throws IllegalArgumentException when the class cannot be a component
     */
    static ComponentType of(Class<?> type) {
        ComponentType known = TYPES.get(type);
        if (known != null) {
            return known;
        }
        ComponentType made;
        if (type.isEnum()) {
            made = new ComponentType(Kind.TEXT, value -> ((Enum<?>) value).name(),
                    name -> constant(type, (String) name), true, false);
        } else if (type.isRecord()) {
            TupleType<?> nested = TupleType.of(type.asSubclass(Record.class));
            made = new ComponentType(Kind.BLOB, value -> TupleCodec.encode(nested, (Record) value),
                    value -> TupleCodec.decode(nested, (Bytes) value), nested.isImmutable(), false);
        } else {
            throw unsupported(type);
        }
        TYPES.put(type, made);
        return made;
    }

    private static void integer(Class<?> primitive, Class<?> boxed, Function<Object, Object> to,
            Function<Long, Object> from) {
        ComponentType made = new ComponentType(Kind.INTEGER, to, value -> from.apply((Long) value), true, true);
        TYPES.put(primitive, made);
        TYPES.put(boxed, made);
    }

    private static void real(Class<?> primitive, Class<?> boxed, Function<Object, Object> to,
            Function<Object, Object> from) {
        ComponentType made = new ComponentType(Kind.REAL, to, from, true, true);
        TYPES.put(primitive, made);
        TYPES.put(boxed, made);
    }

    static Double real(double value) {
        if (Double.isNaN(value)) {
            throw new IllegalArgumentException("NaN cannot be a component: it equals nothing, not even itself");
        }
        // Adding 0.0 turns -0.0 into 0.0.
        return value + 0.0;
    }

    /** Rejects text without a UTF-8 form, which some stores could not keep. */
    private static Object text(Object value) {
        String text = (String) value;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (!Character.isHighSurrogate(c) || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    throw new IllegalArgumentException("a text with half a surrogate pair cannot be a component");
                }
                i++;
            }
        }
        return text;
    }

    /** Encodes an instant as 12 bytes that sort like instants: the seconds with inverted sign bit, then nanoseconds. */
    private static Object instant(Instant instant) {
        return Bytes.wrap(ByteBuffer.allocate(12)
                .putLong(instant.getEpochSecond() ^ Long.MIN_VALUE)
                .putInt(instant.getNano())
                .array());
    }

    private static Object instant(Object bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(((Bytes) bytes).array());
        return Instant.ofEpochSecond(buffer.getLong() ^ Long.MIN_VALUE, buffer.getInt());
    }

    private static Object uuid(Object value) {
        UUID uuid = (UUID) value;
        return Bytes.wrap(ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array());
    }

    private static Object uuidFrom(Object bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(((Bytes) bytes).array());
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    private static Object constant(Class<?> type, String name) {
        for (Object constant : type.getEnumConstants()) {
            if (((Enum<?>) constant).name().equals(name)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(type.getName() + " has no constant " + name);
    }

    private static <V> ComponentType coded(ComponentCodec<V> codec) {
        return new ComponentType(Kind.BLOB, value -> Bytes.wrap(codec.encode(codec.type().cast(value))),
                value -> codec.decode(((Bytes) value).toArray()), true, true);
    }

    @Nullable Object canonical(@Nullable Object value) {
        return value == null ? null : toCanonical.apply(value);
    }

    @Nullable Object value(@Nullable Object canonical) {
        return canonical == null ? null : fromCanonical.apply(canonical);
    }
}
