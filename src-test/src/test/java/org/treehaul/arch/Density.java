// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;

/**
 * Measures the top-level classes of packages, and the knots among them: sets of classes each of which depends on all
 * others, directly or through them. Nested classes count as their top-level class.
 */
final class Density {

    private final Map<String, Map<String, Set<String>>> uses = new TreeMap<>();

    /** Measures classes. */
    Density(Iterable<JavaClass> classes) {
        for (JavaClass type : classes) {
            if (type.getSimpleName().equals("package-info")) {
                continue;
            }
            String from = topLevel(type.getName());
            Set<String> used = uses.computeIfAbsent(type.getPackageName(), name -> new TreeMap<>())
                    .computeIfAbsent(from, name -> new TreeSet<>());
            for (Dependency use : type.getDirectDependenciesFromSelf()) {
                JavaClass to = use.getTargetClass().getBaseComponentType();
                if (to.getPackageName().equals(type.getPackageName()) && !topLevel(to.getName()).equals(from)) {
                    used.add(topLevel(to.getName()));
                }
            }
        }
    }

    private static String topLevel(String name) {
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    /** Returns the number of top-level classes of each package. */
    Map<String, Integer> sizes() {
        Map<String, Integer> sizes = new TreeMap<>();
        uses.forEach((name, classes) -> sizes.put(name, classes.size()));
        return sizes;
    }

    /** Returns the number of classes in the largest knot of each package; 1 for a package without a knot. */
    Map<String, Integer> knots() {
        Map<String, Integer> sizes = new TreeMap<>();
        uses.forEach((name, classes) -> sizes.put(name, new Knots(classes).largest));
        return sizes;
    }

    /** Tarjan's algorithm: Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972), section 4. */
    private static final class Knots {

        private final Map<String, Set<String>> uses;
        private final Map<String, Integer> numbers = new HashMap<>();
        private final Deque<String> stack = new ArrayDeque<>();
        private final Set<String> onStack = new HashSet<>();
        private int largest;

        Knots(Map<String, Set<String>> uses) {
            this.uses = uses;
            for (String name : uses.keySet()) {
                if (!numbers.containsKey(name)) {
                    visit(name);
                }
            }
        }

        private int visit(String name) {
            int number = numbers.size();
            int low = number;
            numbers.put(name, number);
            stack.push(name);
            onStack.add(name);
            for (String used : uses.getOrDefault(name, Set.of())) {
                Integer seen = numbers.get(used);
                if (seen == null) {
                    low = Math.min(low, visit(used));
                } else if (onStack.contains(used)) {
                    low = Math.min(low, seen);
                }
            }
            if (low == number) {
                int size = 0;
                String last;
                do {
                    last = stack.pop();
                    onStack.remove(last);
                    size++;
                } while (!last.equals(name));
                largest = Math.max(largest, size);
            }
            return low;
        }
    }
}
