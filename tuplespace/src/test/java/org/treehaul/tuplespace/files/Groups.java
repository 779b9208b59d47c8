// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.ArrayList;
import java.util.List;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Generates conditions that words combine. */
final class Groups {

    private Groups() {}

    /** Returns groups of such conditions, nested up to three levels. */
    static Arbitrary<List<String>> of(Arbitrary<String> conditions) {
        Arbitrary<List<String>> any = conditions.map(List::of);
        for (int level = 0; level < 3; level++) {
            Arbitrary<List<String>> inner = any;
            any = Arbitraries.oneOf(inner, inner.map(group -> joined(List.of("not", "("), group, List.of(")"))),
                    Combinators.combine(inner, inner)
                            .as((a, b) -> joined(List.of("("), a, List.of("or"), b, List.of(")"))),
                    Combinators.combine(inner, inner).as((a, b) -> joined(a, b)));
        }
        return any;
    }

    @SafeVarargs
    private static List<String> joined(List<String>... parts) {
        List<String> all = new ArrayList<>();
        for (List<String> part : parts) {
            all.addAll(part);
        }
        return all;
    }
}
