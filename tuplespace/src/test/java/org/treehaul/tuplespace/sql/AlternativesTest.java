// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.tuple.Condition;

class AlternativesTest {
    private static final Condition SELF = new Condition.Equal("path", "/a");
    private static final Condition BELOW = new Condition.Prefix("path", "/a/");
    private static final Condition LARGE = new Condition.Range("size", 10L, null);

    @Test
    void alternativesThatExcludeEachOtherAreQueriedAlone() {
        List<Condition> one = List.of(LARGE, SELF);
        List<Condition> other = List.of(BELOW, LARGE);
        assertThat(Alternatives.parts(List.of(one, other))).containsExactly(List.of(one), List.of(other));
    }

    @Test
    void alternativesThatATupleCanMeetTogetherStayTogether() {
        List<List<Condition>> all = List.of(List.of(SELF), List.of(LARGE), List.of(BELOW));
        assertThat(Alternatives.parts(all)).containsExactly(all);
        List<List<Condition>> nested = List.of(List.of(BELOW), List.of(new Condition.Equal("path", "/a/b")));
        assertThat(Alternatives.parts(nested)).containsExactly(nested);
        List<List<Condition>> others = List.of(List.of(SELF), List.of(new Condition.Prefix("name", "/b")));
        assertThat(Alternatives.parts(others)).containsExactly(others);
    }
}
