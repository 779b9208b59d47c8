// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

/** Draws the packages as boxes: one column for each module, each box above all boxes that it uses. */
final class HouseMap {

    private static final String ROOT = "org.treehaul.";
    private static final List<String> MODULES = List.of("core", "strategies", "tuplespace", "schedulers", "cli");
    /** Every package uses the annotations, so arrows to them would show nothing. */
    private static final String MARKS = "core.annotation";

    private static final int WIDTH = 190;
    private static final int HEIGHT = 22;
    private static final int GAP = 6;

    private final Map<String, Set<String>> uses = new TreeMap<>();
    private final Map<String, Integer> floors = new TreeMap<>();

    HouseMap(JavaClasses classes) {
        for (JavaClass type : classes) {
            if (isOurs(type)) {
                Set<String> used = uses.computeIfAbsent(name(type), name -> new TreeSet<>());
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    if (isOurs(target) && !name(target).equals(name(type)) && !name(target).equals(MARKS)) {
                        used.add(name(target));
                    }
                }
            }
        }
        uses.keySet().forEach(this::floor);
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().startsWith(ROOT) && !type.getSimpleName().equals("package-info");
    }

    private static String name(JavaClass type) {
        return type.getPackageName().substring(ROOT.length());
    }

    // The packages form no cycle: another rule checks that.
    private int floor(String name) {
        Integer known = floors.get(name);
        if (known != null) {
            return known;
        }
        int floor = uses.getOrDefault(name, Set.of()).stream().mapToInt(used -> floor(used) + 1).max().orElse(0);
        floors.put(name, floor);
        return floor;
    }

    /** Returns the names of all packages that have classes, below the root package. */
    Set<String> packages() {
        return uses.keySet();
    }

    /** Returns the picture. */
    String svg() {
        int top = floors.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        Map<Integer, Map<String, List<String>>> rows = new TreeMap<>();
        floors.forEach((name, floor) -> rows.computeIfAbsent(floor, any -> new TreeMap<>())
                .computeIfAbsent(module(name), any -> new ArrayList<>())
                .add(name));
        StringBuilder boxes = new StringBuilder();
        int y = 30;
        for (int floor = top; floor >= 0; floor--) {
            Map<String, List<String>> row = rows.getOrDefault(floor, Map.of());
            int most = row.values().stream().mapToInt(List::size).max().orElse(0);
            for (Map.Entry<String, List<String>> column : row.entrySet()) {
                int x = GAP + MODULES.indexOf(column.getKey()) * (WIDTH + GAP);
                for (int i = 0; i < column.getValue().size(); i++) {
                    box(boxes, x, y + i * (HEIGHT + GAP), column.getValue().get(i));
                }
            }
            y += most * (HEIGHT + GAP) + GAP;
        }
        StringBuilder heads = new StringBuilder();
        for (int i = 0; i < MODULES.size(); i++) {
            heads.append(String.format(Locale.ROOT, "<text x=\"%d\" y=\"18\" font-weight=\"bold\">%s</text>%n",
                    GAP + i * (WIDTH + GAP), MODULES.get(i)));
        }
        return String.format(Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
                        + "font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n%s%s</svg>%n",
                GAP + MODULES.size() * (WIDTH + GAP), y, heads, boxes);
    }

    private static String module(String name) {
        return name.split("\\.", 2)[0];
    }

    private static void box(StringBuilder out, int x, int y, String name) {
        out.append(String.format(Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#eef3fa\" stroke=\"#4a6fa5\"/>"
                        + "<text x=\"%d\" y=\"%d\">%s</text>%n",
                x, y, WIDTH, HEIGHT, x + 6, y + 15, name));
    }
}
