// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.lang.ref.SoftReference;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ArchitectureTest {
    private static final House OURS = new House("org.treehaul", 25, 5);
    private static final House BAD = new House("org.treehaul.arch.bad", 3, 2);

    /** The names that each rule's report must contain when it checks the bad house. */
    private static final Map<String, List<String>> BROKEN = Map.of( //
            "arrows",
            List.of("bad.core.entry.KnowsTheWalk", "bad.core.copy.Copier", "bad.core.attic.NoRoom",
                    "bad.tuplespace.KnowsFiles", "bad.strategies.StartsJobs"),
            "cycles",
            List.of("bad.core.copy.Copier", "bad.core.compare.Comparer", "bad.core.fs.KnowsItsImplementation",
                    "bad.core.fs.linux.KnowsItsUser"), //
            "downcalls", List.of("bad.core.walk.Walker.downcall", "bad.core.walk.Walker.symbol"), "process",
            List.of("bad.core.walk.Walker.print", "bad.core.walk.Walker.exit"), //
            "drivers", List.of("bad.tuplespace.KnowsFiles", "org.sqlite", "org.postgresql"), //
            "research", List.of("bad.strategies.Predicts"), //
            "signatures", List.of("bad.strategies.StartsJobs.sensitivity"), //
            "packages", List.of("bad.core.attic has no package-info"), //
            "crowds", List.of("bad.core.event has 4 top-level classes"), //
            "knots", List.of("the largest knot of org.treehaul.arch.bad.core.event has 3 classes"));

    private static SoftReference<JavaClasses> imported = new SoftReference<>(null);

    @Test
    void theClassesOfEveryModuleAreLookedAt() {
        JavaClasses classes = ours();
        assertThat(classes.contain("org.treehaul.cli.Main")).isTrue();
        assertThat(classes.contain("org.treehaul.cli.launch.Launcher")).isTrue();
        assertThat(classes).extracting(type -> type.getPackageName())
                .contains("org.treehaul.core", "org.treehaul.strategies", "org.treehaul.schedulers",
                        "org.treehaul.tuplespace");
    }

    @TestFactory
    Stream<DynamicTest> theHouseKeepsEveryRule() {
        JavaClasses classes = ours();
        return OURS.rules()
                .entrySet()
                .stream()
                .map(rule -> dynamicTest(rule.getKey(), () -> rule.getValue().check(classes)));
    }

    @TestFactory
    Stream<DynamicTest> theBadHouseBreaksEveryRule() {
        JavaClasses classes = new ClassFileImporter().importPackages(BAD.root());
        return BAD.rules()
                .entrySet()
                .stream()
                .map(rule -> dynamicTest(rule.getKey(), () -> assertThat(report(rule.getValue(), classes))
                        .contains(BROKEN.getOrDefault(rule.getKey(), List.of("a line for this rule in BROKEN")))));
    }

    @Test
    void classesOfTheFixtureThatKeepTheRulesAreNotReported() {
        JavaClasses classes = new ClassFileImporter().importPackages(BAD.root());
        for (var rule : BAD.rules().values()) {
            assertThat(report(rule, classes)).doesNotContain("bad.cli.Prints")
                    .doesNotContain("bad.core.fs.linux.Calls");
        }
    }

    private static String report(ArchRule rule, JavaClasses classes) {
        return rule.evaluate(classes).getFailureReport().toString();
    }

    /** Returns all classes, which the tests of one process share: reading them takes seconds, and half of the heap. */
    static synchronized JavaClasses ours() {
        JavaClasses known = imported.get();
        if (known == null) {
            known = new ClassFileImporter()
                    .withImportOption(
                            location -> !location.contains("/test-classes/") && !location.contains("-tests.jar"))
                    .importPackages(OURS.root());
            imported = new SoftReference<>(known);
        }
        return known;
    }
}
