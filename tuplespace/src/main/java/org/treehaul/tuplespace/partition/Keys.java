// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.partition.Control.PartitionKey;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleCodec;
import org.treehaul.tuplespace.tuple.TupleType;

/** The components whose hashes place tuples, which the first store keeps for each record class. Thread-safe. */
final class Keys {
    private static final Template<PartitionKey> KEYS = Template.of(PartitionKey.class);

    private final Store first;
    private final PartitionOptions options;
    private final Map<String, String> known = new ConcurrentHashMap<>();

    Keys(Store first, PartitionOptions options) {
        this.first = first;
        this.options = options;
    }

    /** Returns the hash of a tuple; keeps the key of its record class if it is the first of it. */
    long hash(Record tuple) {
        TupleType<?> type = TupleType.of(tuple);
        String key = known(type);
        if (key == null) {
            key = register(type);
        }
        return hash(type, key, tuple);
    }

    static long hash(TupleType<?> type, String key, Record tuple) {
        return hash(type.name(), key.isEmpty() ? null : component(type, key).canonical(tuple));
    }

    /** Returns the key of a record class that is new in a space; empty if it has no components. */
    static String wanted(TupleType<?> type, PartitionOptions options) {
        return options.keys()
                .getOrDefault(type.recordClass(),
                        type.components().isEmpty() ? "" : type.components().getFirst().name());
    }

    private @Nullable String known(TupleType<?> type) {
        String key = known.get(type.name());
        if (key == null) {
            load();
            key = known.get(type.name());
        }
        return key;
    }

    private synchronized String register(TupleType<?> type) {
        String wanted = wanted(type, options);
        Template<PartitionKey> own = KEYS.equal("type", type.name());
        String key = Alone.in(first, alone -> switch (first.attempt(own, false, alone)) {
            case Attempt.Hit<PartitionKey>(PartitionKey kept) -> kept.component();
            case Attempt.Miss<PartitionKey>(),Attempt.Held<PartitionKey>() -> {
                first.write(List.of(new PartitionKey(type.name(), wanted)), Store.NEVER, alone);
                yield wanted;
            }
        });
        known.put(type.name(), key);
        return key;
    }

    private static Component component(TupleType<?> type, String key) {
        if (!type.has(key)) {
            throw new SpaceException(SpaceException.Reason.VERSION, "the partitions of this space place tuples of "
                    + type.name() + " by component " + key + ", which the record class no longer has");
        }
        return type.component(key);
    }

    /** Returns a hash: the first 64 bits of the SHA-256 of the class name and the value. */
    static long hash(String type, @Nullable Object canonical) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.write(type.getBytes(StandardCharsets.UTF_8));
            TupleCodec.write(out, canonical);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray())).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Returns a bit for each active partition that can have a match. */
    long candidates(Template<?> template, PartitionMap map) {
        if (!template.type().isRecord()) {
            return map.active();
        }
        TupleType<?> type = TupleType.of(template.type().asSubclass(Record.class));
        String key = known(type);
        if (key == null) {
            return map.active();
        }
        long candidates = 0;
        for (List<Condition> conditions : template.conditionsFor(type)) {
            candidates |= candidates(type.name(), key, conditions, map);
        }
        return candidates;
    }

    private static long candidates(String type, String key, List<Condition> conditions, PartitionMap map) {
        for (Condition condition : conditions) {
            if (condition.component().equals(key)) {
                switch (condition) {
                    case Condition.Equal(String component, Object value) -> {
                        return 1L << map.of(hash(type, value));
                    }
                    case Condition.In(String component, var values) -> {
                        return values.stream()
                                .mapToLong(value -> 1L << map.of(hash(type, value)))
                                .reduce(0, (one, other) -> one | other);
                    }
                    case Condition.Absent(String component) -> {
                        return 1L << map.of(hash(type, null));
                    }
                    default -> {
                    }
                }
            }
        }
        return map.active();
    }

    private void load() {
        try (Stream<Stored<PartitionKey>> keys = first.contents(KEYS, Optional.empty(), Long.MAX_VALUE, Store.NONE)) {
            keys.map(Stored::tuple).forEach(key -> known.put(key.type(), key.component()));
        }
    }

    /**
     * Returns the template of all tuples whose hashes have a bit; empty if no tuple was ever written.
     *
     * @throws SpaceException VERSION if a record class of the space is unknown here
     */
    Optional<Template<Record>> withBit(int bit) {
        load();
        List<Template<?>> templates = new ArrayList<>();
        known.forEach((name, key) -> {
            TupleType<?> type = RecordClasses.find(name);
            Template<?> all = Template.of(type.recordClass());
            boolean hasAbsent = (hash(name, null) >>> bit & 1) == 1;
            if (key.isEmpty()) {
                if (hasAbsent) {
                    templates.add(all);
                }
            } else {
                component(type, key);
                templates
                        .add(all.test(key, "whose hash has bit " + bit, value -> (hash(name, value) >>> bit & 1) == 1));
                if (hasAbsent) {
                    templates.add(all.isNull(key));
                }
            }
        });
        return templates.isEmpty() ? Optional.empty() : Optional.of(Template.ofAny(Record.class, templates));
    }
}
