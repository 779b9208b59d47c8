// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** The conditions that the server gets. */
class WhereTest {
    private static final TupleType<Entry> TYPE = TupleType.of(Entry.class);
    private static final Template<Entry> SEEN = Template.of(Entry.class).atLeast("seen", 1L);

    record Entry(String directory, String name, long seen) {}

    private static Where where(List<Template<Entry>> any) {
        Table table = Table.of(new Names("s"), TYPE, false);
        return Where.withTaken(new Place(table, Template.ofAny(Entry.class, any).conditionsFor(TYPE), Set.<String>of()),
                "now");
    }

    @Test
    void conditionsOfAllAlternativesStandOnceAndApart() {
        Where where = where(List.of(SEEN.equal("directory", "/a"), SEEN.prefix("directory", "/a/")));
        assertThat(where.sql()).contains("(\"seen\" >= ?) AND ((true AND \"directory\" = ?) OR (true AND (");
        assertThat(where.parameters()).startsWith(1L, "/a", "/a/");
    }

    @Test
    void anAlternativeWithoutFurtherConditionsIsMetByThoseOfAll() {
        Where where = where(List.of(SEEN, SEEN.equal("directory", "/a")));
        assertThat(where.sql()).contains("(\"seen\" >= ?) AND ((true) OR (true AND \"directory\" = ?))");
    }

    @Test
    void alternativesWithNothingInCommonStayAsTheyAre() {
        Where where = where(List.of(SEEN.equal("directory", "/a"), Template.of(Entry.class).equal("name", "b")));
        assertThat(where.parameters()).containsExactly(1L, "/a", "b");
    }
}
