// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.TupleType;

/** Finds the record classes of stored tuples by name, and converts stored values to the classes' present components. */
@Internal
public final class RecordClasses {

    /** A component as it was when the tuples were stored. */
    public record Kept(String name, Kind kind) {}

    private static final String OWN = "org.treehaul.";

    private RecordClasses() {}

    /**
     * Returns the type of a record class by name.
     *
     * @throws SpaceException VERSION when there is no such class, or it is not a record
     */
    public static TupleType<?> find(String name) {
        ClassLoader own = RecordClasses.class.getClassLoader();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        try {
            Class<?> type;
            try {
                type = Class.forName(name, false, context == null ? own : context);
            } catch (ClassNotFoundException e) {
                type = Class.forName(name, false, own);
            }
            return TupleType.of(type.asSubclass(Record.class));
        } catch (ClassNotFoundException | ClassCastException | IllegalArgumentException e) {
            throw new SpaceException(SpaceException.Reason.VERSION,
                    "there are tuples of " + name + ", which is not a record class here: " + e.getMessage(), e);
        }
    }

    /**
     * Returns whether a store makes an index with the table of a type, also if another class takes the place of that of
     * the index, as in a split of a partition.
     */
    public static boolean isOf(StoreOptions.Index index, TupleType<?> type) {
        return index.type().getName().equals(type.name()) && index.components().stream().allMatch(type::has);
    }

    /** Returns the components from the text of {@link #text}. */
    public static List<Kept> parse(String text) {
        return text.lines().map(line -> {
            int space = line.indexOf(' ');
            return new Kept(line.substring(space + 1), Kind.valueOf(line.substring(0, space)));
        }).toList();
    }

    /**
     * Returns the text by which a store keeps the components of a type: a line with kind and name for each.
     *
     * @param kept the components as they were stored before, which another version of the class may still have; null if
     *        the class is new in the store
     */
    public static String text(TupleType<?> type, @Nullable List<Kept> kept) {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        type.components().forEach(component -> kinds.put(component.name(), component.kind()));
        if (kept != null) {
            kept.forEach(old -> kinds.putIfAbsent(old.name(), old.kind()));
        }
        StringBuilder text = new StringBuilder();
        kinds.forEach((name, kind) -> text.append(kind).append(' ').append(name).append('\n'));
        return text.toString();
    }

    /**
     * Returns the error for a space that is open for reading only and lacks components of a type.
     *
     * @param space the name of the space, for the message
     */
    public static SpaceException outdated(String space, TupleType<?> type) {
        // Users of the commands do not know the classes.
        return new SpaceException(SpaceException.Reason.VERSION, space + (type.name().startsWith(OWN)
                ? ": an older version of TreeHaul wrote this space; one who may change it has to do so once with this version, for example by 'treehaul index'"
                : ": " + type.name()
                        + " has new components; one who may change the space has to open it once before it can be read"));
    }

    /** Returns whether a store has all components of a type. */
    public static boolean fits(TupleType<?> type, List<Kept> kept) {
        return !places(type, kept).contains(-1);
    }

    /**
     * Returns, for each component of a type, its index among the stored ones; -1 for a component added since.
     *
     * @throws SpaceException VERSION when a component is now of another kind
     */
    public static List<Integer> places(TupleType<?> type, List<Kept> kept) {
        List<String> names = new ArrayList<>();
        kept.forEach(one -> names.add(one.name()));
        List<Integer> places = new ArrayList<>();
        for (Component component : type.components()) {
            int place = names.indexOf(component.name());
            if (place >= 0 && kept.get(place).kind() != component.kind()) {
                throw new SpaceException(SpaceException.Reason.VERSION,
                        "component " + component.name() + " of " + type.name() + " was stored as "
                                + kept.get(place).kind() + " and is " + component.kind() + " now");
            }
            places.add(place);
        }
        return places;
    }

    /** Returns the canonical values of a type from the stored ones; added components are absent. */
    public static @Nullable Object[] fit(TupleType<?> type, List<Integer> places, @Nullable Object[] kept) {
        @Nullable Object[] values = new @Nullable Object[places.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = places.get(i) < 0 ? type.components().get(i).absent() : kept[places.get(i)];
        }
        return values;
    }
}
