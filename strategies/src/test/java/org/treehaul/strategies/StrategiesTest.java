// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.testing.TestJar;

class StrategiesTest {

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    StrategiesTest() {}

    @Test
    void eachIsFoundByItsName() {
        for (Batching strategy : new Batching[]{Strategies.sizeBalanced(), Strategies.directoryGrouped(),
                Strategies.streaming()}) {
            assertThat(Strategies.named(strategy.name()).getClass()).isEqualTo(strategy.getClass());
        }
    }

    @Test
    void thoseOfOtherJarsAreFound() {
        assertThat(Strategies.named("every-other")).isInstanceOf(EveryOther.class);
    }

    @Test
    void aNameThatNoneHasIsRefusedWithThoseThereAre() {
        assertThatThrownBy(() -> Strategies.named("round\nrobin")).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown strategy 'round\\nrobin'; choose one of directory-grouped, every-other, "
                        + "size-balanced, streaming");
    }

    private Path jar(String type, String name) throws Exception {
        return TestJar.providing(directory, Batching.class, type, """
                import org.treehaul.core.plan.*;
                import org.treehaul.core.plan.format.BatchLimits;

                public final class CLASS implements Batching {
                    public String name() {
                        return NAME;
                    }

                    public int assign(Items items, BatchLimits limits, BatchAssignment out) {
                        return 1;
                    }
                }
                """.replace("CLASS", type).replace("NAME", name));
    }

    private static void isRefused(List<Path> jars, String... words) throws Exception {
        TestJar.with(jars, () -> {
            assertThatThrownBy(Strategies::all).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll(words);
            return null;
        });
    }

    @Test
    void aStrategyThatCannotBeUsedIsAnErrorThatNamesIt() throws Exception {
        isRefused(List.of(TestJar.forNewerJava(jar("Newer", "\"newer\""))), "cannot load a strategy from another jar",
                "class file version");
        isRefused(List.of(jar("Nameless", "null")), "the strategy Nameless has no name");
        isRefused(List.of(jar("Failing", "String.valueOf(1 / 0)")), "cannot load a strategy from another jar",
                "ArithmeticException");
        isRefused(List.of(jar("One", "\"same\""), jar("Other", "\"same\"")), "'same'", "One", "Other");
    }
}
