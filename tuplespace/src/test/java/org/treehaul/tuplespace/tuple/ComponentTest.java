// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Access to the values of components. */
class ComponentTest {

    record Task(long size, @Nullable String name) {}

    @Test
    void theClassThatReadsAPrimitiveIsGeneratedOnce() {
        Component size = TupleType.of(Task.class).component("size");
        assertThat(size.longGetter()).isNotNull().isSameAs(size.longGetter());
        assertThat(TupleType.of(Task.class).component("name").longGetter()).isNull();
        assertThat(size.test(new Condition.Equal("size", 3L))).accepts(new Task(3, null)).rejects(new Task(4, null));
    }
}
