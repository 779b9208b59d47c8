// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import net.jini.core.entry.Entry;
import org.jspecify.annotations.Nullable;

/** The same tuples for each kind of space: as records, and as entries of JavaSpaces. */
public final class Fruits {

    private Fruits() {}

    /** The type of templates; only its subtypes are written. */
    public sealed interface Fruit {
        @Nullable String name();

        @Nullable Integer number();
    }

    public record Apple(@Nullable String name, @Nullable Integer number) implements Fruit {}

    public record Pear(@Nullable String name, @Nullable Integer number) implements Fruit {}

    /** As {@link Fruit}. */
    public static class FruitEntry implements Entry {
        private static final long serialVersionUID = 1;

        public @Nullable String name;
        public @Nullable Integer number;
    }

    /** As {@link Apple}. */
    public static final class AppleEntry extends FruitEntry {
        private static final long serialVersionUID = 1;
    }

    /** As {@link Pear}. */
    public static final class PearEntry extends FruitEntry {
        private static final long serialVersionUID = 1;
    }

    /** Which of them. */
    public enum Sort {
        FRUIT,
        APPLE,
        PEAR;

        Class<? extends Fruit> type() {
            return switch (this) {
                case FRUIT -> Fruit.class;
                case APPLE -> Apple.class;
                case PEAR -> Pear.class;
            };
        }
    }

    /**
     * A tuple or a template, in which null matches any value.
     *
     * @param sort which
     * @param name which many have in common
     * @param number which no other tuple of a program has
     */
    public record Thing(Sort sort, @Nullable String name, @Nullable Integer number) {

        static Thing of(Fruit fruit) {
            return new Thing(fruit instanceof Apple ? Sort.APPLE : Sort.PEAR, fruit.name(), fruit.number());
        }

        static Thing of(Entry entry) {
            FruitEntry fruit = (FruitEntry) entry;
            return new Thing(entry instanceof AppleEntry ? Sort.APPLE : Sort.PEAR, fruit.name, fruit.number);
        }

        Record toRecord() {
            return sort == Sort.APPLE ? new Apple(name, number) : new Pear(name, number);
        }

        Entry toEntry() {
            FruitEntry entry = switch (sort) {
                case FRUIT -> new FruitEntry();
                case APPLE -> new AppleEntry();
                case PEAR -> new PearEntry();
            };
            entry.name = name;
            entry.number = number;
            return entry;
        }
    }
}
