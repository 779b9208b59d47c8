// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.Locale;

/** A tree that scenarios run on. */
enum DataSet {
    MANY("files with the sizes of Nuss's table 3.1, those over 100 KiB thinned to one of 75"),
    LARGE("four files of 1 GiB at scale 1, incompressible"),
    TEN("ten files of 0 to 10 kB at any scale"),
    TINY("files of 0 to 10 kB, 100 in a directory"),
    WALK("empty files in a tree of directories"),
    WIDE("empty files in a tree of five times as many directories"),
    FLAT("empty files in one directory"),
    DEEP("chains of 500 to 1,490 directories with two files in each, and one large subtree beside them"),
    SLOW("files of 0 to 10 kB, 10 in a directory");

    private final String description;

    DataSet(String description) {
        this.description = description;
    }

    String description() {
        return description;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    Layout layout(double scale, long seed) {
        return switch (this) {
            case MANY -> Layouts.many(scale, seed);
            case LARGE -> Layouts.large(scale);
            case TEN -> Layouts.tiny(10, seed);
            case TINY -> Layouts.tiny(Layouts.scaled(60_000, scale), seed);
            case WALK -> Layouts.wide(Layouts.scaled(500_000, scale), Layouts.scaled(40_000, scale), seed);
            case WIDE -> Layouts.wide(Layouts.scaled(2_500_000, scale), Layouts.scaled(200_000, scale), seed);
            case FLAT -> Layouts.flat(Layouts.scaled(500_000, scale));
            case DEEP -> Layouts.deep(scale, seed);
            case SLOW -> {
                Layout wide = Layouts.wide(Layouts.scaled(20_000, scale), Layouts.scaled(2_000, scale), seed);
                yield new Layout(wide.directories(), wide.directory(), wide.files(), wide.file(),
                        i -> Long.remainderUnsigned(Layouts.mix(seed, i), 10_001));
            }
        };
    }
}
